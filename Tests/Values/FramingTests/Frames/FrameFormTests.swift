import Framing
import Testing
import TextStages
import Time

@Suite struct FrameFormTests {
  private static let streams: [(form: String, bytes: [UInt8])] = [
    ("lines", Array("\none\r\n\r\ntwo\n\rthree\r\r\nfour\rfive\r\rsix".utf8)),
    ("delimiter:0d0a", Array("a\r\n\r\nbc\rd\r\n".utf8)),
    ("fixed:3", [1, 2, 3, 4, 5, 6, 7]),
    ("length:u8", [2, 0xAA, 0xBB, 0, 1, 0xCC]),
    ("length:u16le+2@1", [0x7E, 1, 0, 0x55, 9, 9, 0x7E, 0, 0, 8, 8]),
    ("slip", [0xC0, 1, 0xDB, 0xDC, 0xC0, 0xC0, 2, 0xC0, 0xC0]),
    ("cobs", [0, 0, 3, 1, 2, 0, 2, 7, 0, 0, 5, 1, 0]),
    ("silence:20", [1, 2, 3]),
    (
      "modbus-rtu",
      [1, 3, 0, 0x6B, 0, 3, 0x74, 0x17, 0xFF, 1, 3, 6, 2, 0x2B, 0, 0, 0, 0x64, 5, 0x7A, 1, 3, 0]
    ),
    ("modbus-ascii", Array("x:010300130001E8\r\n:0103\n:01030013000100\r\n:01".utf8)),
    ("sync:94c3,length:u16be@2", [1, 0x94, 0x94, 0xC3, 0, 2, 7, 8, 0x94, 0xC3, 0xFF, 0x94]),
    (
      "nmea", Array("junk$GPGLL,4916.45,N,12311.12,W,225444,A*31\r\n$GPGLL,1$GPZDA,1,2*00\r\n".utf8)
    ),
  ]

  /// The frames of the stream of a form.
  private func framesOfStream(_ form: String, _ direction: Direction? = nil) throws -> [Frame] {
    let stream = try #require(Self.streams.first { $0.form == form })
    return frames(of: stream.bytes, form, direction)
  }

  @Test func everyFormHasAStream() {
    let tested = Set(Self.streams.map { $0.form.prefix { $0 != ":" } })
    #expect(tested.isSuperset(of: FrameForm.all.map { $0.name[...] }))
  }

  @Test(arguments: streams)
  func framesDoNotDependOnTheReads(_ form: String, _ bytes: [UInt8]) {
    let whole = frames(of: bytes, form)
    #expect(whole.flatMap(\.bytes) == bytes)
    for cut in bytes.indices {
      var (reader, found) = (reader(form), [Frame]())
      reader.receive(bytes[..<cut], at: .at(0), into: &found)
      reader.receive(bytes[cut...], at: .at(1), into: &found)
      reader.end(into: &found)
      #expect(found.map(\.bytes) == whole.map(\.bytes), "cut at \(cut)")
      #expect(found.map(\.decoded) == whole.map(\.decoded), "cut at \(cut)")
    }
  }

  @Test func modbusASCII() throws {
    let found = try framesOfStream("modbus-ascii")
    #expect(
      found.map(\.decoded.check) == [
        .stray, .good, .bad("no CR LF"), .bad("LRC 00, expected e8"), .bad("no CR LF"),
      ])
    #expect(found[1].decoded.meaning == "slave 1 read holding 0x0013 ×1")
  }

  @Test(arguments: [":010FF0\r\n", ":0101FE\r\n", ":01030300F9\r\n", ":018080FF\r\n"])
  func messageOfNoLengthHasNoMeaning(_ text: String) {
    for direction in [nil, .fromDevice, .toDevice] as [Direction?] {
      let found = frames(of: Array(text.utf8), "modbus-ascii", direction)
      #expect(found.map(\.decoded.check) == [.good])
      #expect(found[0].decoded.meaning == nil)
    }
  }

  @Test func nmea() throws {
    let found = try framesOfStream("nmea")
    #expect(
      found.map(\.decoded.check) == [
        .stray, .good, .bad("cut off"), .bad("checksum 00, expected 4b"),
      ])
    #expect(
      found[1].decoded.meaning
        == "GPGLL latitude 4916.45N longitude 12311.12W time 225444 status A")
  }

  @Test func framesAsText() throws {
    let found = try framesOfStream("modbus-rtu", .fromDevice)
    #expect(
      found[0].text(isText: false)
        == "←     8  01 03 00 6b 00 03 74 17  good  slave 1 read holding 0x006b ×3")
    #expect(found[1].text(isText: false, isASCII: true) == "<     1  ff  stray")
    #expect(
      frames(of: Array("ok\t1\r\n\0".utf8), "sync:00,fixed:1").map { $0.text(isText: false) }
        == ["   6  ok\\x091  stray", "   1  00"])
    #expect(
      frames(of: Array("\u{1B}[2Jé\n".utf8), "lines")[0].text(isText: true)
        == "   7  \\x1b[2J\\xc3\\xa9")
  }

  @Test(arguments: [
    "", "modbus", "modbus-rtu:1", "delimiter:+d+a",
    "fixed", "fixed:0", "fixed:x", "delimiter:", "delimiter:0",
    "delimiter:xy", "length:u24", "length:u8@-1", "length:u8+x", "silence:0", "silence:99999999999",
    "length:u8+99999999999999999999", "sync:94c3", "sync:,lines", "sync:94c3,", "sync:9,lines",
    "sync:94c3,sync:94,lines",
  ])
  func wrongForms(_ text: String) {
    #expect(throws: FrameFormError.self) { try ChosenFrameForm(parsing: text) }
  }

  @Test func counts() throws {
    var counts = FrameCounts()
    try framesOfStream("modbus-ascii").forEach { counts.add($0) }
    #expect((counts.goodCount, counts.badCount, counts.strayByteCount) == (1, 3, 1))
  }
}

/// A reader of a form that exists.
func reader(_ form: String, _ direction: Direction? = nil) -> FrameReader {
  guard let chosen = try? ChosenFrameForm(parsing: form) else { fatalError("no form \(form)") }
  return chosen.reader(direction)
}

/// The frames of bytes that are received in one piece.
func frames(of bytes: [UInt8], _ form: String, _ direction: Direction? = nil) -> [Frame] {
  var (reader, found) = (reader(form, direction), [Frame]())
  reader.receive(bytes, at: .at(0), into: &found)
  reader.end(into: &found)
  return found
}

extension Moment {
  /// A time in milliseconds after the start.
  static func at(_ milliseconds: UInt64) -> Moment {
    Moment(wallClock: milliseconds * 1_000_000, monotonic: milliseconds * 1_000_000)
  }
}
