import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct LineSettingsTests {
  @Test func default_is115200_8N1_withoutFlowControl() {
    #expect(LineSettings().description == "115200 8N1")
  }

  @Test func text_readsBackAsItself_forEverySetting() throws {
    for baudRate: UInt32 in [1, 50, 9_600, 31_250, 250_000, 12_000_000, 2_147_483_647] {
      for dataBits in LineSettings.DataBits.allCases {
        for parity in LineSettings.Parity.allCases {
          for stopBits in LineSettings.StopBits.allCases {
            for flowControl in LineSettings.FlowControl.allCases {
              let settings = LineSettings(
                baudRate: baudRate, dataBits: dataBits, parity: parity, stopBits: stopBits,
                flowControl: flowControl)
              #expect(try LineSettings(parsing: settings.description) == settings)
            }
          }
        }
      }
    }
  }

  @Test(arguments: [
    ("9600", "9600 8N1"), ("9600 7e1", "9600 7E1"), ("9600 rts/cts", "9600 8N1 RTS/CTS"),
    ("  300   5m2  xon/xoff ", "300 5M2 XON/XOFF"),
  ])
  func shortForms_areRead(text: String, expected: String) throws {
    #expect(try LineSettings(parsing: text).description == expected)
  }

  @Test(arguments: [
    ("", LineSettings.ParsingError.Field.baudRate, ""), ("0", .baudRate, "0"),
    ("-1", .baudRate, "-1"), ("+9600", .baudRate, "+9600"), ("7x", .baudRate, "7x"),
    ("115200x", .baudRate, "115200x"), ("100000000000", .baudRate, "100000000000"),
    ("2147483648", .baudRate, "2147483648"), ("9600 8N", .framing, "8N"),
    ("9600 4N1", .framing, "4N1"), ("9600 8X1", .framing, "8X1"), ("9600 8N3", .framing, "8N3"),
    ("9600 8N1 maybe", .flowControl, "maybe"), ("9600 8N1 RTS/CTS more", .end, "more"),
  ])
  func wrongText_isRefused_namingTheWord(
    text: String, field: LineSettings.ParsingError.Field, word: String
  ) {
    let error = #expect(throws: LineSettings.ParsingError.self) {
      try LineSettings(parsing: text)
    }
    #expect(error?.field == field)
    #expect(error?.text == word)
    #expect(error?.description.contains("'\(word)'") == true)
  }

  @Test func differences_nameTheDriversChanges_withBothValues() {
    let asked = LineSettings(baudRate: 250_000, dataBits: .seven, parity: .even)
    #expect(asked.differences(from: asked).isEmpty)
    let taken = LineSettings(baudRate: 9_600, dataBits: .eight, parity: .none)
    let differences = asked.differences(from: taken)
    #expect(differences.map(\.setting) == ["baud rate", "data bits", "parity"])
    #expect(differences.map(\.requested) == ["250000", "7", "even"])
    #expect(differences.map(\.actual) == ["9600", "8", "none"])
  }

  @Test func differences_forgiveABaudRate_withinHalfAPercent() {
    let asked = LineSettings(baudRate: 115_200)
    #expect(asked.differences(from: LineSettings(baudRate: 115_776)).isEmpty)
    #expect(asked.differences(from: LineSettings(baudRate: 114_624)).isEmpty)
    #expect(!asked.differences(from: LineSettings(baudRate: 115_777)).isEmpty)
    #expect(!asked.differences(from: LineSettings(baudRate: 114_623)).isEmpty)
  }

  @Test func singleChanges_areOneSettingEach_withItsName() {
    let old = LineSettings(baudRate: 9_600)
    let asked = LineSettings(dataBits: .seven, parity: .odd, stopBits: .two, flowControl: .soft)
    let changes = asked.singleChanges(from: old)
    #expect(
      changes.map(\.name) == [
        "baud rate 115200", "data bits 7", "parity odd", "stop bits 2", "flow control soft",
      ])
    #expect(
      changes.map(\.settings.description) == [
        "115200 8N1", "9600 7N1", "9600 8O1", "9600 8N2", "9600 8N1 XON/XOFF",
      ])
    #expect(old.singleChanges(from: old).isEmpty)
  }
}
