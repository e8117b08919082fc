import Testing
import TextStages

@Suite(.timeLimit(.minutes(30))) struct ByteMapTests {
  private static func map(_ list: String, _ direction: Direction = .fromDevice) throws -> ByteMap {
    ByteMap(try MapList(parsing: list), direction)
  }

  @Test(arguments: [
    ("cr=lf", "a\rb\r\n", "a\nb\n\n"),
    ("cr=crlf", "a\rb\n", "a\r\nb\n"),
    ("cr=none", "a\r\nb\r", "a\nb"),
    ("lf=cr", "a\nb\r", "a\rb\r"),
    ("lf=crlf", "a\nb\r\n", "a\r\nb\r\r\n"),
    ("lf=none", "a\r\nb\n", "a\rb"),
    ("crlf=lf", "a\r\nb\rc\nd\r\r\ne\r", "a\nb\rc\nd\r\ne\r"),
    ("crlf=cr", "a\r\nb\nc\r\r", "a\rb\nc\r\r"),
    ("bs=del", "a\u{8}\u{7F}", "a\u{7F}\u{7F}"),
    ("del=bs", "a\u{8}\u{7F}", "a\u{8}\u{8}"),
    ("nul=none", "a\u{0}\u{0}b", "ab"),
    ("lower=upper", "azAZé`{", "AZAZé`{"),
    ("upper=lower", "azAZÉ@[", "azazÉ@["),
  ])
  func change_isMadeInBothDirections_howeverTheStreamIsCut(
    change: String, before: String, after: String
  ) throws {
    for direction in Direction.allCases {
      let map = try Self.map("\(direction.rawValue):\(change)", direction)
      for pieces in cuts(of: Array(before.utf8)) {
        #expect(String(decoding: map.fed(pieces), as: UTF8.self) == after)
      }
    }
  }

  @Test func formFeed_clearsTheScreen() throws {
    var map = try Self.map("from-device:ff=clear")
    #expect(map.feed("a\u{C}b") == "a\u{1B}[H\u{1B}[2Jb")
  }

  @Test func otherDirection_isLeftAlone() throws {
    var map = try Self.map("from-device:cr=lf,to-device:lf=cr", .toDevice)
    #expect(map.feed("\r\n") == "\r\r")
    #expect(try Self.map("from-device:cr=lf", .toDevice).isIdentity)
    #expect(try !Self.map("from-device:cr=lf", .fromDevice).isIdentity)
    #expect(try !Self.map("from-device:crlf=lf", .fromDevice).isIdentity)
  }

  @Test func byte_changesOnce_whateverItBecomes() throws {
    var map = try Self.map("from-device:cr=lf,from-device:lf=cr")
    #expect(map.feed("\r\n\n") == "\n\r\r")
  }

  @Test func pairs_goBeforeTheirHalves() throws {
    let map = try Self.map("from-device:cr=lf,from-device:crlf=lf")
    for pieces in cuts(of: Array("a\r\nb\rc\nd\r".utf8)) {
      #expect(map.fed(pieces) == Array("a\nb\nc\nd\n".utf8))
    }
  }

  @Test func bits_areReversedNextToTheDevice() throws {
    let fromDevice = try Self.map("from-device:msb=lsb,from-device:cr=lf,from-device:crlf=cr")
    // 0x41, 0x0D, 0x0D and 0x0A with their bits reversed.
    #expect(fromDevice.fed([[0x82], [0xB0], [0xB0, 0x50]]) == [0x41, 0x0A, 0x0D])
    let toDevice = try Self.map("to-device:msb=lsb,to-device:lf=crlf", .toDevice)
    #expect(toDevice.fed([[0x41, 0x0A]]) == [0x82, 0xB0, 0x50])
  }

  @Test func textWithNothingToChange_isPassedOnWithoutACopy() throws {
    var map = try Self.map("from-device:cr=lf")
    var output: [UInt8] = []
    let text = Array("plain\n".utf8)
    #expect(text.withUnsafeBytes { map.apply($0, into: &output) } == .unchanged)
    #expect(output.isEmpty)
  }

  @Test func everyMap_givesTheSame_howeverRandomStreamsAreCut() throws {
    var stream = HostileStream(seed: 3)
    let map = try Self.map("from-device:crlf=lf,from-device:cr=crlf,from-device:lower=upper")
    for _ in 0..<5_000 {
      let bytes = stream.next() + [0x0D]
      #expect(map.fed(stream.cut(bytes)) == map.fed([bytes]))
    }
  }
}
