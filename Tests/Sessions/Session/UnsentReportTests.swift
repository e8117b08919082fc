import Testing

@testable import Sessions

@Suite struct UnsentReportTests {
  private final class Lines {
    var counts: [Int] = []
    var files: [PlainFile.End] = []
  }

  private let lines = Lines()
  private let report: UnsentReport

  init() {
    report = UnsentReport { [lines] news in
      switch news {
      case .unsent(let count): lines.counts.append(count)
      case .fileUnsent(_, let end): lines.files.append(end)
      default: Issue.record("reported \(news)")
      }
    }
  }

  @Test func nothing_isNotReported() {
    report.bytes(0)
    report.file(PlainFile("a", size: 3), .done)
    #expect(lines.counts == [])
    #expect(lines.files == [])
    #expect(!report.hasCutFile)
  }

  @Test func bytes_areReported_andAddedUp() {
    report.bytes(1)
    report.bytes(30_000)
    #expect(lines.counts == [1, 30_000])
    #expect(report.byteCount == 30_001)
  }

  @Test func file_isReported_andIsNoBytes() {
    report.file(PlainFile("a", size: 3), .cutOff)
    #expect(lines.files == [.cutOff])
    #expect(report.byteCount == 0)
    #expect(report.hasCutFile)
  }
}
