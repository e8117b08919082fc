import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct TerminalAttributesTests {
  @Test func everySetting_isReadBack_afterAnyOther() {
    var attributes = TerminalAttributes()
    // The same value is changed repeatedly: a mask that is not cleared shows in the next round.
    for baudRate: UInt32 in [50, 115_200, 250_000] {
      for dataBits in LineSettings.DataBits.allCases {
        for parity in LineSettings.Parity.allCases {
          for stopBits in LineSettings.StopBits.allCases {
            for flowControl in LineSettings.FlowControl.allCases {
              let settings = LineSettings(
                baudRate: baudRate, dataBits: dataBits, parity: parity, stopBits: stopBits,
                flowControl: flowControl)
              attributes.lineSettings = settings
              #expect(attributes.lineSettings == settings)
            }
          }
        }
      }
    }
  }

  @Test func makeRaw_leavesTheLineSettingsAlone() {
    var attributes = TerminalAttributes()
    let settings = LineSettings(
      baudRate: 9_600, dataBits: .seven, parity: .mark, stopBits: .two, flowControl: .soft)
    attributes.lineSettings = settings
    attributes.makeRaw()
    #expect(attributes.lineSettings == settings)
  }
}
