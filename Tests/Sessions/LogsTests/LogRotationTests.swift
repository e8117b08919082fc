import SystemPackage
import Testing

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct LogRotationTests {
  @Test(arguments: [
    ("1", 1), ("500k", 512_000), ("500K", 512_000), ("10M", 10_485_760), ("2G", 2_147_483_648),
  ])
  func sizesAreRead(text: String, size: Int) throws {
    #expect(try LogRotation.size(parsing: text) == size)
  }

  @Test(arguments: ["", "0", "k", "-1", "1.5M", "1 k", "1kk", "99999999999G", "٣"])
  func invalidSizeIsRefused(text: String) {
    #expect(throws: LogRotation.ParsingError.self) { try LogRotation.size(parsing: text) }
  }

  @Test(arguments: [
    ("30", 30), ("30s", 30), ("10m", 600), ("10min", 600), ("1.5h", 5_400), ("6h", 21_600),
    ("1d", 86_400),
  ])
  func timesAreRead(text: String, seconds: Int) throws {
    #expect(try LogRotation.interval(parsing: text) == .seconds(seconds))
  }

  @Test(arguments: ["", "0s", "500ms", "1w", "-1h", "1h30m", "99999999999d"])
  func invalidTimeIsRefused(text: String) {
    #expect(throws: LogRotation.ParsingError.self) { try LogRotation.interval(parsing: text) }
  }

  @Test func aNameHasTheTimeAndThePort() {
    let name = LogName("logs/%t-%Y%m%d-%%.log", port: "serial/by-id")
    let path = name.path(at: 1_795_242_660).string
    #expect(path.hasPrefix("logs/serial-by-id-2026112"))
    #expect(path.hasSuffix("-%.log"))
    #expect(LogName("%-m.%EY.%06Y", port: "x").path(at: 1_795_242_660) == "11.2026.002026")
    #expect(LogName("half%-", port: "x").path(at: 0) == "half%-")
    #expect(LogName("plain", port: "x").path(at: 0) == "plain")
    #expect(LogName("half%", port: "x").path(at: 0) == "half%")
  }

  @Test(arguments: [
    ("a.log", LogFormat.raw), ("a", .raw), ("a.txt", .text), ("A.TXT", .text), ("a.jsonl", .jsonl),
    ("a.pcapng", .pcapng), ("a.pcapng.old", .raw),
  ])
  func aNamesEndAsksForAFormat(name: String, format: LogFormat) {
    #expect(LogFormat(fileName: name) == format)
  }
}
