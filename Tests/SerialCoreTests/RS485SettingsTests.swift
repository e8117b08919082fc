import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct RS485SettingsTests {
  @Test func on_suitsMostTransceivers() throws {
    let settings = try RS485Settings(parsing: "on")
    #expect(settings == RS485Settings())
    #expect(settings.assertsRTSOnSend && !settings.receivesDuringSend)
  }

  @Test func everySetting_isRead() throws {
    let settings = try RS485Settings(
      parsing: "rts-on-send=off,delay-before=1,delay-after=100,rx-during-tx=on")
    var expected = RS485Settings()
    expected.assertsRTSOnSend = false
    expected.delayBeforeSend = 1
    expected.delayAfterSend = 100
    expected.receivesDuringSend = true
    #expect(settings == expected)
  }

  @Test(arguments: ["", "off", "on,on", "delay-before=101", "rts-on-send=1", "delay-after"])
  func wrongItem_isNamed(text: String) {
    #expect(throws: ItemParsingError.self) { try RS485Settings(parsing: text) }
  }

  @Test func difference_namesTheSetting_asItIsWritten() {
    let asked = RS485Settings()
    #expect(asked.firstDifference(from: asked) == nil)
    var actual = asked
    actual.delayAfterSend = 1
    #expect(asked.firstDifference(from: actual) == "delay-after")
    actual.assertsRTSOnSend = false
    #expect(asked.firstDifference(from: actual) == "rts-on-send")
  }
}
