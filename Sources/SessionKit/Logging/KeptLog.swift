import EventLoop
import Logs
import SystemPackage

/// A log, and the watch that tells what is new about it.
final class KeptLog {
  package let log: Log
  private var watch: DescriptorWatch?

  /// - Parameter report: receives the news of the log.
  package init(_ log: Log, report: @escaping (SessionNews) -> Void) {
    self.log = log
    log.onNews = { [unowned self] in report(.log(self.log.path, $0)) }
  }

  deinit { watch?.cancel() }

  /// Reports news as soon as there is some.
  ///
  /// - Parameter onNews: called after it was reported.
  /// - Throws: ``LogFileError``.
  package func watch(
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
}
