import Testing
import TextStages

@Suite(.timeLimit(.minutes(30))) struct MapListTests {
  @Test(arguments: Direction.allCases, ByteChange.allCases)
  func everyRule_isReadAsItIsWritten(direction: Direction, change: ByteChange) throws {
    if direction == .toDevice, change == .formFeedToClear { return }
    let text = "\(direction.rawValue):\(change.rawValue)"
    let list = try MapList(parsing: text)
    #expect(list.rules == [MapList.Rule(direction, change)])
    #expect(list.description == text)
  }

  @Test(arguments: [
    ("ICRNL", "from-device:cr=lf"), ("ICRCRNL", "from-device:cr=crlf"),
    ("IGNCR", "from-device:cr=none"), ("IFFESCC", "from-device:ff=clear"),
    ("INLCR", "from-device:lf=cr"), ("INLCRNL", "from-device:lf=crlf"),
    ("IMSB2LSB", "from-device:msb=lsb"), ("OCRNL", "to-device:cr=lf"),
    ("OIGNCR", "to-device:cr=none"), ("ODELBS", "to-device:del=bs"),
    ("ONLCRNL", "to-device:lf=crlf"), ("OLTU", "to-device:lower=upper"),
    ("MSB2LSB", "to-device:msb=lsb"), ("inlcrnl", "from-device:lf=crlf"),
    ("from-device:crlf", "from-device:cr=lf"), ("to-device:crcrlf", "to-device:cr=crlf"),
    ("from-device:igncr", "from-device:cr=none"), ("from-device:lfcr", "from-device:lf=cr"),
    ("from-device:lfcrlf", "from-device:lf=crlf"), ("from-device:ignlf", "from-device:lf=none"),
    ("to-device:bsdel", "to-device:bs=del"), ("to-device:delbs", "to-device:del=bs"),
    ("INLCRNL,ODELBS", "from-device:lf=crlf,to-device:del=bs"), ("", ""),
  ])
  func namesOfTioAndPicocom_areUnderstood(text: String, canonical: String) throws {
    let list = try MapList(parsing: text)
    #expect(list.description == canonical)
    #expect(try MapList(parsing: canonical) == list)
  }

  @Test(arguments: [
    ("cr=xy", "cr=xy", 1), ("INLCRNL,nonsense", "nonsense", 2), ("INLCRNL,", "", 2),
    ("from-device:", "from-device:", 1), ("device:cr=lf", "device:cr=lf", 1),
    ("to-device:ff=clear", "to-device:ff=clear", 1), ("ONULBRK", "ONULBRK", 1),
    ("ONLCR", "ONLCR", 1), ("OCRNL, ODELBS", " ODELBS", 2),
  ])
  func unknownRule_isNamedWithTheValidOnes(text: String, item: String, number: Int) {
    let error = #expect(throws: MapListError.self) { try MapList(parsing: text) }
    #expect(error?.code == .unknown)
    let beginning =
      "'\(item)' (map \(number) of the list): no such map. Maps: "
    #expect(error?.description.hasPrefix(beginning) == true)
    #expect(error?.description.contains(" cr=lf cr=crlf ") == true)
    #expect(error?.description.hasSuffix(" ONLCRNL") == true)
  }

  @Test(arguments: ["cr=lf", "crlf"])
  func changeWithoutADirection_isRefused(change: String) {
    let error = #expect(throws: MapListError.self) { try MapList(parsing: "ODELBS,\(change)") }
    #expect(error?.code == .directionMissing)
    #expect(
      error?.description == "'\(change)' (map 2 of the list): the direction is missing. Use "
        + "from-device:\(change) or to-device:\(change)")
  }

  @Test(arguments: ["ICRNL,IGNCR", "INLCR,OCRNL,from-device:lf=none", "OLTU,OLTU"])
  func secondRuleForTheSameBytes_isRefused(text: String) {
    let error = #expect(throws: MapListError.self) { try MapList(parsing: text) }
    #expect(error?.description.contains(" contradicts ") == true)
  }

  @Test func sameBytes_mayBeChangedInBothDirections() throws {
    #expect(try MapList(parsing: "ICRNL,OIGNCR").changes(.toDevice) == [.returnToNothing])
  }
}
