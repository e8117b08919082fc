import Symbols
import Testing

@Suite struct BootReportTests {
  @Test(
    arguments: [
      ("I (304) cpu_start: ELF file SHA256:  3DC2a5ff2...", .sha256("3dc2a5ff2")),
      ("ELF file SHA256: 0123456789abcdef", .sha256("0123456789abcdef")),
      (
        "[    0.0] Build ID: 0011223344556677889900aabbccddeeff001122",
        .buildID("0011223344556677889900aabbccddeeff001122")
      ),
      ("build-id=0011223344556677", .buildID("0011223344556677")),
      ("ELF file SHA256: 3dc2", nil), ("ELF file SHA256:", nil), ("build id: 12", nil), ("", nil),
      ("a builder's EL", nil),
    ] as [(String, BootReport?)])
  func reports(_ line: String, _ expected: BootReport?) {
    #expect(BootReport(in: Array(line.utf8)) == expected)
  }

  @Test func onlyTheReportedBeginningCounts() {
    let bytes: [UInt8] = [0x3D, 0xC2, 0x0F, 0x00]
    #expect(BootReport.sha256("3dc20").fits(bytes))
    #expect(BootReport.buildID("3dc20f00").fits(bytes))
    #expect(!BootReport.sha256("3dc21").fits(bytes))
    #expect(!BootReport.sha256("3dc20f0000").fits(bytes))
  }
}
