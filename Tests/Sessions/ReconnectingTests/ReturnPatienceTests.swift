import SerialCore
import SystemPackage
import Testing
import Time

@testable import Reconnecting

@Suite(.timeLimit(.minutes(30))) struct ReturnPatienceTests {
  private static let denied = SerialError(
    .permissionDenied, in: "open", at: .tty("/dev/x"), errno: .permissionDenied)
  private static let forbidden = SerialError(
    .permissionDenied, in: "open", at: .tty("/dev/x"), errno: .notPermitted)
  private static let busy = SerialError(.busy, in: "flock", at: .tty("/dev/x"))
  private static let gone = SerialError(.notFound, in: "open", at: .tty("/dev/x"))
  /// The node stays in a container while its adapter is unplugged.
  private static let away = SerialError(
    .noHardware, in: "open", at: .tty("/dev/x"), errno: .operationNotSupportedByDevice)
  private static let broken = SerialError(.system, in: "open", at: .tty("/dev/x"), errno: .ioError)

  struct Case: CustomTestStringConvertible {
    let error: SerialError
    var isWatched = true
    /// The time since the first failure, in milliseconds.
    let after: Int64
    let retry: Duration?
    var report: ReturnPatience.Report?
    var testDescription: String { "\(error.code) after \(after) ms" }
  }

  static let table: [Case] = [
    Case(error: denied, after: 0, retry: .seconds(2)),
    Case(error: denied, after: 1_500, retry: .milliseconds(500)),
    Case(error: denied, after: 2_000, retry: .seconds(1), report: .refused),
    Case(error: denied, isWatched: false, after: 0, retry: .milliseconds(50)),
    Case(error: denied, isWatched: false, after: 2_000, retry: .seconds(1), report: .refused),
    Case(error: forbidden, after: 2_000, retry: .seconds(1), report: .refused),
    Case(error: busy, after: 0, retry: .milliseconds(50)),
    Case(error: busy, after: 500, retry: .milliseconds(50), report: .held),
    Case(error: busy, after: 9_999, retry: .milliseconds(50), report: .held),
    Case(error: busy, after: 10_000, retry: .seconds(1), report: .held),
    Case(error: gone, after: 5_000, retry: nil),
    Case(error: gone, isWatched: false, after: 5_000, retry: .seconds(1)),
    Case(error: away, after: 0, retry: .seconds(1)),
    Case(error: away, after: 999, retry: .seconds(1)),
    Case(error: away, after: 1_000, retry: .seconds(1), report: .refused),
    Case(error: broken, after: 0, retry: .seconds(1), report: .refused),
  ]

  @Test(arguments: table)
  func failure_isFollowedBy(_ example: Case) {
    var patience = ReturnPatience()
    let start = MonotonicTime(nanoseconds: 7)
    if example.after > 0 {
      // The time counts from the first failure, which is not reported.
      _ = patience.failed(with: Self.denied, at: start, isWatched: true)
    }
    let advice = patience.failed(
      with: example.error, at: start + .milliseconds(example.after), isWatched: example.isWatched)
    #expect(advice == .init(retry: example.retry, report: example.report))
  }

  @Test func heldPort_isTriedAgainSoon_afterItWasUsed_otherwiseSeldomIfItsUseIsWatched() {
    var patience = ReturnPatience(wasAskedFor: true)
    let start = MonotonicTime(nanoseconds: 0)
    func retry(at milliseconds: Int64) -> Duration? {
      patience.failed(
        with: Self.busy, at: start + .milliseconds(milliseconds), isWatched: false,
        isUseWatched: true
      ).retry
    }
    #expect(retry(at: 0) == .seconds(1))
    patience.portWasUsed(at: start + .milliseconds(400))
    #expect(retry(at: 400) == .milliseconds(50))
    #expect(retry(at: 899) == .milliseconds(50))
    #expect(retry(at: 900) == .seconds(1))
  }

  /// The hang-up may be reported before the removal: then the first attempt finds a node that
  /// is being removed.
  @Test func deviceThatWasGoneMeanwhile_isAwaitedAgain() {
    var patience = ReturnPatience()
    var now = MonotonicTime(nanoseconds: 0)
    for _ in 0..<2 {
      let gone = patience.failed(with: Self.gone, at: now, isWatched: true)
      #expect(gone == .init(retry: nil, report: nil))
      now = now + .seconds(60)
      let first = patience.failed(with: Self.busy, at: now, isWatched: false)
      #expect(first == .init(retry: .milliseconds(50), report: nil))
      now = now + .milliseconds(500)
      let later = patience.failed(with: Self.busy, at: now, isWatched: false)
      #expect(later == .init(retry: .milliseconds(50), report: .held))
    }
  }

  @Test func farEndWithoutAPresence_isTriedAgain_alsoIfItIsNotThere() {
    var patience = ReturnPatience(hasPresence: false)
    let start = MonotonicTime(nanoseconds: 0)
    let first = patience.failed(with: Self.gone, at: start, isWatched: false)
    #expect(first == .init(retry: .milliseconds(800), report: .refused))
    let later = patience.failed(with: Self.gone, at: start + .seconds(60), isWatched: false)
    #expect(later == .init(retry: .milliseconds(800), report: nil))
  }

  @Test func eachReason_isReportedOnce() {
    var patience = ReturnPatience()
    var now = MonotonicTime(nanoseconds: 0)
    let absent = SerialError(
      .noHardware, in: "open", at: .tty("/dev/x"), errno: .noSuchAddressOrDevice)
    let errors = [Self.away, Self.away, absent, Self.broken, Self.broken, Self.away, Self.broken]
    let reports = errors.map { error in
      now = now + .seconds(1)
      return patience.failed(with: error, at: now, isWatched: true).report
    }
    #expect(reports == [nil, .refused, nil, .refused, nil, nil, nil])
  }

  @Test func user_isInformedOnce() {
    #expect(reports(of: ReturnPatience()) == [.init(step: 10, .held), .init(step: 200, .refused)])
  }

  @Test func holderOfAPortThatWasAskedFor_isNamedAtOnce_andNothingElse() {
    #expect(reports(of: ReturnPatience(wasAskedFor: true)) == [.init(step: 0, .held)])
    var patience = ReturnPatience(wasAskedFor: true)
    let start = MonotonicTime(nanoseconds: 0)
    _ = patience.failed(with: Self.gone, at: start, isWatched: false)
    #expect(patience.failed(with: Self.busy, at: start, isWatched: false).report == .held)
  }

  private struct Told: Equatable {
    let step: Int
    let report: ReturnPatience.Report

    init(step: Int, _ report: ReturnPatience.Report) {
      self.step = step
      self.report = report
    }
  }

  /// The reports about a port that is always busy, with the attempt of each.
  private func reports(of patience: ReturnPatience) -> [Told] {
    var patience = patience
    let start = MonotonicTime(nanoseconds: 0)
    return (0...300).compactMap { step in
      patience.failed(with: Self.busy, at: start + .milliseconds(50 * step), isWatched: false)
        .report.map { Told(step: step, $0) }
    }
  }
}
