import EventLoop
import Observing
import SerialCore
import TextTools

/// Reports bytes with errors, and breaks. The first one is reported immediately. Further ones are
/// counted, and reported after a second, then less and less often: a wrong speed causes thousands.
///
/// If errors are marked, each is reported with its byte. Otherwise, and for overruns, which have no
/// mark, errors are reported when the driver's counters are read.
final class LineErrorReport {
  /// Whether errors are marked in the received bytes.
  var marksErrors = false

  private let loop: IOLoop
  private var observations: [ObservationToken<SessionEvent>] = []
  private let say: (String) -> Void
  private var timer: LoopTimer?
  private var interval = shortestInterval
  private var markCount = 0
  private var counted = LineCounters()

  private static let shortestInterval = Duration.seconds(1)
  private static let longestInterval = Duration.seconds(60)

  /// - Parameter say: called with a line to print.
  init(_ session: Session, on loop: IOLoop, say: @escaping (String) -> Void) {
    (self.loop, self.say) = (loop, say)
    observations = [
      session.observe(.lineError) { [unowned self] in report($0) },
      session.observe(.countersChange) { [unowned self] in
        count($0.new.changes(since: $0.old))
      },
    ]
  }

  private func report(_ error: LineError) {
    guard timer == nil else { return markCount += 1 }
    say(error.words)
    waitForMore()
  }

  private func count(_ changes: LineCounters) {
    for error in changes.errors where !marksErrors || !error.isMarked {
      counted[error] &+= changes[error]
    }
    if timer == nil && !counted.errors.isEmpty {
      sayCounted()
      waitForMore()
    }
  }

  private func sayCounted() {
    let counts = counted.errors.map { $0.words(for: Int(counted[$0])) }
    counted = LineCounters()
    if !counts.isEmpty { say("the driver counted \(counts.joined(separator: ", ")).") }
  }

  /// Prints what was not printed yet.
  func finish() {
    if markCount > 0 {
      say(
        "\(markCount.grouped) more \(markCount == 1 ? "error or break was" : "errors or breaks were") received."
      )
    }
    markCount = 0
    sayCounted()
  }

  private func waitForMore() {
    timer = loop.schedule(after: interval) { [unowned self] in
      timer = nil
      guard markCount > 0 || !counted.errors.isEmpty else {
        return interval = Self.shortestInterval
      }
      finish()
      interval = min(interval * 2, Self.longestInterval)
      waitForMore()
    }
  }
}

extension LineError {
  fileprivate var words: String {
    switch self {
    case .damaged(let byte):
      "received a byte with a parity or framing error: 0x\(String(byte, radix: 16, uppercase: true))."
    case .breakOrDamagedZero: "received a break, or a zero with an error."
    }
  }
}

extension CountedError {
  /// Whether the kernel can mark this error in the received bytes.
  fileprivate var isMarked: Bool {
    switch self {
    case .framing, .parity, .breakCondition: true
    case .overrun, .bufferOverrun: false
    }
  }

  fileprivate func words(for count: Int) -> String {
    let name =
      switch self {
      case .framing: "framing error"
      case .parity: "parity error"
      case .overrun: "overrun"
      case .bufferOverrun: "buffer overrun"
      case .breakCondition: "break"
      }
    return count.counted(name)
  }
}
