import Testing

@testable import serialterm

@Suite struct UnsentReportTests {
  private final class Lines {
    var said: [String] = []
  }

  private let lines = Lines()
  private let report: UnsentReport

  init() { report = UnsentReport { [lines] in lines.said.append($0) } }

  private func status(
    of outcome: Result<serialterm.ExitStatus, Failure> = .success(.done), isLogComplete: Bool = true
  ) -> serialterm.ExitStatus {
    switch report.verdict(on: outcome, isLogComplete: isLogComplete) {
    case .success(let status): status
    case .failure(let failure): failure.status
    }
  }

  @Test func nothingIsSaidOfNothing() {
    report.bytes(0)
    #expect(lines.said == [])
    #expect(status() == .done)
  }

  @Test func bytesAreSaid_addedUp_andNoGoodEnd() {
    report.bytes(1)
    report.bytes(30_000)
    #expect(lines.said == ["1 byte was not sent.", "30,000 bytes were not sent."])
    #expect(report.byteCount == 30_001)
    #expect(status() == .otherFailure)
  }

  @Test func anEndThatIsNotGood_staysWhatItIs() {
    report.bytes(5)
    #expect(status(of: .success(.signal(15))) == .signal(15))
    #expect(status(of: .success(.command(3))) == .command(3))
    #expect(status(of: .failure(Failure(.deviceLost, "gone"))) == .deviceLost)
    #expect(status(of: .failure(Failure(.timedOut, "late"))) == .timedOut)
  }

  @Test func aGapInTheLog_outweighsBytesThatWereNotSent() {
    report.bytes(5)
    #expect(status(isLogComplete: false) == .logFailed)
  }
}
