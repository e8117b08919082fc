import Framing
import Testing

@Suite struct NMEAFramingTests {
  /// The body of a sentence with its checksum.
  private static func summed(_ body: String) -> String {
    let digits = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(digits.utf8.count < 2 ? "0" : "")\(digits)"
  }

  private static let sentence = summed("GPZDA,1,2")

  private func checks(_ text: String) -> [DecodedFrame.Check] {
    frames(of: Array(text.utf8), "nmea").map(\.decoded.check)
  }

  private func meaning(_ body: String) -> String? {
    frames(of: Array((Self.summed(body) + "\r\n").utf8), "nmea")[0].decoded.meaning
  }

  // MARK: Sentences

  @Test(arguments: ["\r\n", "\n", "\r", "\r\r\n", " \r\n", "\t \n"])
  func lineEndsOfReceivers(_ end: String) {
    #expect(checks(Self.sentence + end) == [.good])
    #expect(checks(Self.sentence + end + Self.sentence + end) == [.good, .good])
    #expect(checks("$GPZDA,1,2" + end) == [.none])
  }

  @Test(arguments: ["$GPZDA,1,2", "$GPZDA,1,2*", "$GPZDA,1,2*4", sentence, "$G", "$GPZDA,1,2 "])
  func cutSentenceIsBad(_ cut: String) {
    let next = Self.sentence + "\r\n"
    #expect(checks(cut + next) == [.bad("cut off"), .good])
    #expect(checks(cut + next.replacing("$", with: "!")) == [.bad("cut off"), .good])
    #expect(checks(cut) == [.bad("cut off")])
    #expect(frames(of: Array((cut + next).utf8), "nmea")[0].decoded.meaning == nil)
  }

  @Test func endOfSentenceIsAwaited() {
    var (reader, found) = (reader("nmea"), [Frame]())
    for (index, byte) in (Self.sentence + "\r\n").utf8.enumerated() {
      #expect(found.isEmpty)
      reader.receive([byte], at: .at(UInt64(index) * 1_000), into: &found)
    }
    #expect(found.map(\.decoded.check) == [.good])
  }

  @Test(
    arguments: [
      ([0xB5, 0x62, 0x24, 0x0A, 0x01], [.stray]),
      (Array("$$GPZDA,1\n".utf8), [.stray, .none]),
      (Array("costs $5!\n".utf8), [.stray]),
      (Array("$GPTXT,$5! *2!,$\n".utf8), [.bad("no two digits after *, expected 73")]),
      (Array("$GPTXT,$5!,$\n".utf8), [.none]),
      (Array("$HOME\n".utf8), [.bad("not a sentence")]),
      (Array("$a,1\n".utf8), [.bad("not a sentence")]),
      (Array("$GP_DA,1\n".utf8), [.bad("not a sentence")]),
      (Array("$GPZDA,\u{1},\n".utf8), [.bad("not a sentence")]),
      (Array("$GPZDA,1\r2\n".utf8), [.bad("not a sentence")]),
      (Array("$GPZDA,é\n".utf8), [.bad("not a sentence")]),
      (Array((summed("GPTXT,é") + "\n").utf8), [.good]),
      (Array("!\n$".utf8), [.stray]),
    ] as [([UInt8], [DecodedFrame.Check])])
  func otherBytesAreNoSentence(_ bytes: [UInt8], _ checks: [DecodedFrame.Check]) {
    #expect(frames(of: bytes, "nmea").map(\.decoded.check) == checks)
    // A letter after a delimiter may be late.
    var (reader, found) = (reader("nmea"), [Frame]())
    for byte in bytes { reader.receive([byte], at: .at(0), into: &found) }
    reader.end(into: &found)
    #expect(found.map(\.decoded.check) == checks)
  }

  @Test(arguments: [
    ("*4b", nil), ("*4B", nil), ("*4B \t", nil), ("*4b ,5", "text after the checksum"),
    ("*4bx", "text after the checksum"), ("*4a", "checksum 4a, expected 4b"),
    ("*4ab", "checksum 4a, expected 4b"), ("*", "no two digits after *, expected 4b"),
    ("*4", "no two digits after *, expected 4b"), ("* 4b", "no two digits after *, expected 4b"),
    ("*+b", "no two digits after *, expected 4b"), ("*４b", "no two digits after *, expected 4b"),
  ])
  func whatIsWrongWithAChecksumIsSaid(_ checksum: String, _ reason: String?) {
    let found = frames(of: Array("$GPZDA,1,2\(checksum)\r\n".utf8), "nmea")
    #expect(found.map(\.decoded.check) == [reason.map { .bad($0) } ?? .good])
    #expect((found[0].decoded.meaning == nil) == (reason != nil))
  }

  // MARK: Fields

  @Test(arguments: [
    ("GPVTG,,T,,M,0.05,N", "speed 0.05N"), ("GPHDT,,T", ""), ("GPHDT,274.07,T", "heading 274.07T"),
    ("GPVTG,220.86,T,,M,2.550,N,4.724,K,A", "course 220.86T speed 2.550N speed 4.724K mode A"),
    ("GPVTG,054.7,034.4,005.5,010.2", "course 054.7 magnetic 034.4 knots 005.5 km/h 010.2"),
    ("GPVTG,,,005.5,", "knots 005.5"), ("GPVTG,054.7,T,034.4,M", "course 054.7T magnetic 034.4M"),
    (
      "GPGGA,101500.00,,N,,E,0,00,,,M,,M,,",
      "time 101500.00 quality 0 satellites 00"
    ),
    (
      "GPGGA,1,2,N,3,,1,8,0.9,,M,4,M",
      "time 1 latitude 2N longitude 3 quality 1 satellites 8 HDOP 0.9 geoid 4M"
    ),
    ("GPGLL,,N,,E,225444,V,N", "time 225444 status V mode N"),
    (
      "GNGNS,112257.00,,N,00908.43828,W,AN,03,10.5,,,,,V",
      "time 112257.00 longitude 00908.43828W mode AN satellites 03 HDOP 10.5 navigational status V"
    ),
    ("GPRMC,,V,,N,,E,,,260810,,E", "status V date 260810"),
    (
      "GPRMC,,V,,,,,,,260810,1.0,E,N,V",
      "status V date 260810 variation 1.0E mode N navigational status V"
    ),
    (
      "GNGSA,A,3,80,,,,,,,,,,,79,1.83,,1.47,1",
      "mode A fix 3 satellite 80 satellite 79 PDOP 1.83 VDOP 1.47 system 1"
    ),
    ("GPGSA,A,1,,,,,,,,,,,,,,,", "mode A fix 1"),
    ("GPZDA,,11,,2004,,00", "day 11 year 2004 minutes 00"),
    ("GPGSV,1,1,00", "messages 1 number 1 satellites 00"),
    ("GAGSV,1,1,00,7", "messages 1 number 1 satellites 00 signal 7"),
    (
      "GPGSV,3,3,10,12,00,234,,24,13,295,40,1",
      "messages 3 number 3 satellites 10 satellite 12 elevation 00 azimuth 234 satellite 24 elevation 13 azimuth 295 SNR 40 signal 1"
    ),
    (
      "PQGSV,4,2,15,09,16,120,,0,4",
      "messages 4 number 2 satellites 15 satellite 09 elevation 16 azimuth 120 signal 0 system 4"
    ),
    (
      "GLGSV,3,3,09,88,07,028",
      "messages 3 number 3 satellites 09 satellite 88 elevation 07 azimuth 028"
    ),
    ("GPGSV,3,", "messages 3"),
  ])
  func emptyFieldsShiftNothing(_ body: String, _ words: String) {
    #expect(
      meaning(body)
        == ([String(body.prefix(5))] + (words.isEmpty ? [] : [words])).joined(separator: " "))
  }

  @Test(arguments: ["PGRMC,A,1", "GPXYZ,1", "GPGGAX,1", "GGA,1"])
  func otherKindsHaveNoMeaning(_ body: String) {
    #expect(meaning(body) == nil)
    #expect(checks(Self.summed(body) + "\r\n") == [.good])
  }
}
