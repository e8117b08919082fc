import EventLoop
import Logs
import SystemPackage

/// A log, and the messages about its problems.
final class KeptLog {
  let log: Log
  private let console: Console
  private var watch: DescriptorWatch?

  /// - Parameter console: prints the messages.
  init(_ log: Log, on console: Console) {
    self.log = log
    self.console = console
    log.onNews = { [unowned self] in tell($0) }
  }

  deinit { watch?.cancel() }

  /// Watches the log's progress, and prints a message about each event.
  ///
  /// - Parameter onNews: called after the message.
  /// - Throws: ``LogFileError``.
  func watch(
    on loop: IOLoop, onNews: @escaping () -> Void
  ) throws(LogFileError) {
    do throws(Errno) {
      watch = try loop.watch(log.notification, for: .reading) { [unowned self] _ in
        log.checkProgress()
        onNews()
      }
    } catch {
      throw LogFileError(log.path, .system(error))
    }
  }

  private func tell(_ news: Log.News) {
    switch news {
    case .overflow:
      console.warn("the log \(log.path) is too slow: what comes now is missing from it.")
    case .goesOn(let missing):
      console.warn("the log \(log.path) continues; \(missing.counted("byte")) missing.")
    case .problem(let problem):
      console.warn(words(for: problem))
    }
  }

  private func words(for problem: LogProblem?) -> String {
    switch problem {
    case .unwritable(let error):
      "the log \(log.path) cannot be written (\(error)): up to "
        + "\(Log.capacity >> 20) MiB are kept until it can."
    case .notRotated(let error):
      "The log cannot be rotated, and continues in the old file: \(error)."
    case nil:
      "the log \(log.path) is written again."
    }
  }
}
