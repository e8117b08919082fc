import Posix
import SerialCore
import SessionKit
import SystemPackage
import Testing

@testable import serialterm

@Suite struct WordsTests {
  @Test func sharing_isWarnedAbout_andNotRecommended() {
    let text = SharingReport.Message.shared(PortHolder(pid: 43, command: "cat"))
      .text(at: "/dev/ttyUSB0")
    #expect(text.hasPrefix("warning: /dev/ttyUSB0 is also open in cat (pid 43)."))
    #expect(!text.contains("--shared"))
  }
}
