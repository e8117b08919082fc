import Framing
import Testing
import TextStages
import Time

@Suite struct FrameRowsTests {
  private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x6B, 0x00, 0x03, 0x74, 0x17]

  private static func rows(_ form: String, coloured: Bool = false, directions: Bool = true) throws
    -> FrameRows
  {
    FrameRows(
      try ChosenFrameForm(parsing: form),
      stamps: LineStamper(TimestampFormat(.epoch), start: .at(0)) { _ in
        fatalError("seconds since 1970 need no calendar")
      },
      style: FrameRows.Style(isColoured: coloured, isASCII: false, showsDirection: directions))
  }

  private static func show(
    _ bytes: [UInt8], _ direction: Direction = .fromDevice, at moment: Moment = .at(0),
    in rows: inout FrameRows
  ) -> String {
    var output: [UInt8] = []
    bytes.withUnsafeBytes { rows.show($0, direction, at: moment, into: &output) }
    return String(decoding: output, as: UTF8.self)
  }

  @Test func eachFrameIsALineWithTheTimeOfItsFirstByte() throws {
    var rows = try Self.rows("modbus-rtu")
    #expect(Self.show(Array(Self.request.prefix(3)), .toDevice, at: .at(1_000), in: &rows) == "")
    #expect(rows.isWaiting)
    #expect(
      Self.show(Array(Self.request.dropFirst(3)), .toDevice, at: .at(1_020), in: &rows)
        == "[1.000] →     8  01 03 00 6b 00 03 74 17  good  slave 1 read holding 0x006b ×3\r\n")
    #expect(
      Self.show([1, 0x83, 2, 0xC0, 0xF1], at: .at(1_030), in: &rows)
        == "[1.030] ←     5  01 83 02 c0 f1  good  slave 1 exception 2 illegal data address\r\n")
    #expect(rows.counts.goodCount == 2)
  }

  @Test func aFrameThatIsTooWide_continuesBelowItsBytes() throws {
    var rows = try Self.rows("nmea", directions: false)
    rows.fit(columns: 60)
    let sentence =
      "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230326,003.1,W*63\r\n"
    let shown = Self.show(Array(sentence.utf8), in: &rows)
    let lines = shown.split(separator: "\r\n").map(String.init)
    #expect(lines[0] == "[0.000]   70  $GPRMC,123519,A,4807.038,N,01131.000,")
    // The width of the time is that of seconds since 1970.
    let margin = String(repeating: " ", count: 23)
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(margin) && $0.count <= 60 }, "\(shown)")
    let words = lines.flatMap { $0.split(separator: " ") }
    #expect(words.contains("4807.038N") && words.contains("230326"), "\(shown)")
    #expect(shown.hasSuffix("\r\n"))
    // The next frame begins with its time.
    #expect(Self.show(Array(sentence.utf8), in: &rows).hasPrefix("[0.000]   70  "))
  }

  @Test func withoutAScreen_aFrameIsOneLine() throws {
    var rows = try Self.rows("fixed:60", directions: false)
    let shown = Self.show(Array(repeating: 0x41, count: 60), in: &rows)
    #expect(shown.split(separator: "\r\n").count == 1)
  }

  @Test func narrowScreens_loseNoByte() throws {
    for columns in 0...80 {
      var rows = try Self.rows("fixed:60", directions: false)
      rows.fit(columns: columns)
      let shown = Self.show(Array(repeating: 0x41, count: 60), in: &rows)
      let digits = shown.drop { $0 != "]" }.filter { $0.isNumber }
      #expect(digits == "60" + String(repeating: "41", count: 60), "\(columns)")
    }
  }

  @Test func narrowScreens_loseNoSpaceOfAText_andBeginItInTheFirstRow() throws {
    for text in ["Temp:        25     OK,    b, c", String(repeating: "dGVzdA", count: 12)] {
      // The width of the time, which is that of seconds since 1970, and of the length.
      let margin = 23
      for columns in 30...90 {
        var rows = try Self.rows("lines", directions: false)
        rows.fit(columns: columns)
        let shown = Self.show(Array((text + "\n").utf8), in: &rows)
        let pieces = shown.split(separator: "\r\n")
        #expect(pieces[0].contains(text.prefix(5)), "\(columns)")
        let parts = pieces.enumerated().map { number, piece in
          number == 0 ? piece : piece.dropFirst(margin)
        }
        #expect(parts.joined().hasSuffix(text), "\(columns): \(shown)")
      }
    }
  }

  @Test func wrongFramesAreRedAndStrayBytesDim() throws {
    var rows = try Self.rows("modbus-ascii", coloured: true, directions: false)
    #expect(
      Self.show(Array("x:0103\r\n".utf8), in: &rows) == """
        [0.000] \u{1B}[2m   1  x  stray\u{1B}[0m\r
        [0.000] \u{1B}[31m   7  :0103  BAD (not pairs of hexadecimal digits)\u{1B}[0m\r

        """)
    #expect(rows.counts.badCount == 1 && rows.counts.strayByteCount == 1)
  }

  @Test func theEndShowsWhatWaits() throws {
    var rows = try Self.rows("fixed:4", directions: false)
    #expect(Self.show([1, 2], in: &rows) == "")
    var output: [UInt8] = []
    rows.endRow(into: &output)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "[0.000]    2  01 02  BAD (the bytes end in the middle of a frame)\r\n")
    #expect(!rows.isWaiting)
  }
}
