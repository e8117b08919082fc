import Posix
import SerialCore
import SystemPackage
import Testing

@testable import Sessions
@testable import serialterm

@Suite struct WordsTests {
  @Test func sharing_isWarnedAbout_andNotRecommended() {
    let text = PortUseReport.Message.shared(PortHolder(pid: 43, command: "cat"))
      .text(at: "/dev/ttyUSB0")
    #expect(text.hasPrefix("warning: /dev/ttyUSB0 is also open in cat (pid 43)."))
    #expect(!text.contains("--shared"))
  }

  @Test(arguments: [
    ("fw.bin", "fw.bin", "fw.bin, 100,000 bytes."),
    ("fw.bin", "fw.bin.1", "fw.bin, 100,000 bytes; saved as fw.bin.1, because fw.bin exists."),
    ("a/fw", "fw.12", "a/fw, 100,000 bytes; saved as fw.12, because fw exists."),
    ("fw.bin", "in/fw.bin", "fw.bin, 100,000 bytes; saved as in/fw.bin."),
    ("", "dump.1", "the file, 100,000 bytes; saved as dump.1."),
  ])
  func `A received file is named as it was sent, and as it was saved`(
    _ name: String, _ path: String, _ words: String
  ) {
    let summary = TransferSummary(
      name: Array(name.utf8), size: 100_000, byteCount: 100_000, duration: .milliseconds(20),
      retries: 0, efficiency: nil)
    #expect(summary.words(isReceiving: true, storedAt: FilePath(path)) == "received \(words)")
  }

  @Test func `The rate of a transfer is told if it took long enough to be measured`() {
    let summary = TransferSummary(
      name: Array("fw.bin".utf8), size: 100_000, byteCount: 100_000, duration: .seconds(8),
      retries: 0, efficiency: nil)
    #expect(
      summary.words(isReceiving: false, storedAt: nil)
        == "sent fw.bin, 100,000 bytes in 8.0 s, 12.5 kB/s.")
  }
}
