import Posix
import Scripting
import SystemPackage

/// One look for expressions in what was received, on a thread of its own.
///
/// Most looks take a fraction of a millisecond, and are waited for. An expression that backtracks
/// without end, as `(a+)+b` may, would keep the program from being left: nothing can stop the standard
/// library's matching. Its thread is left to itself, and ends with the process.
final class ExpressionLook {
  private enum Outcome {
    case searching
    case found(ReceivedText.Match?)
  }

  /// How many bytes had been received when it began.
  let end: Int
  let start = MonotonicTime.now
  private let outcome = Guarded(Outcome.searching)
  private let pipe: WakePipe?

  /// Begins to look. Where there can be no thread it looks here, however long it takes.
  init(at window: ReceivedText.Window, for expressions: [Expression]) {
    end = window.end
    pipe = try? WakePipe()
    let (outcome, pipe) = (outcome, pipe)
    let search: @Sendable () -> Void = {
      let match = window.firstMatch(of: expressions)
      outcome.withLock { $0 = .found(match) }
      pipe?.wake()
    }
    if pipe == nil || (try? DetachedThread.run(search)) == nil { search() }
  }

  /// Readable when it has ended; nil where it had ended before anybody could ask.
  var notification: FileDescriptor? { pipe?.reader }

  /// Waits for the end, but not for long.
  ///
  /// - Returns: whether it has come.
  func wait(atMost limit: Duration) -> Bool {
    outcome.wait(until: .now + limit) { if case .found = $0 { true } else { false } }
  }

  /// What was found; nil while it looks, too.
  var match: ReceivedText.Match? {
    outcome.withLock { if case .found(let match) = $0 { match } else { nil } }
  }
}
