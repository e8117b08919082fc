import Logs
import SystemPackage
import TextTools

extension Log.News {
  /// A message about the news of a log.
  func words(at path: FilePath) -> String {
    switch self {
    case .overflow: "the log \(path) is too slow: new data is not logged."
    case .resumed(let missing): "the log \(path) continues; \(missing.counted("byte")) missing."
    case .problem(.unwritable(let error)):
      "the log \(path) cannot be written (\(error)): up to "
        + "\(Log.capacity >> 20) MiB are buffered until it can."
    case .problem(.notRotated(let error)):
      "The log cannot be rotated, and continues in the old file: \(error)."
    case .problem(.moved(let error)):
      "the log \(path) was moved, and continues where it is now: \(error)."
    case .problem(.removed(let error)):
      "the log \(path) was removed, and cannot be started again: \(error). "
        + "Up to \(Log.capacity >> 20) MiB are buffered until it can."
    case .shortened:
      "another program has shortened the log \(path), which continues. This is reported once."
    case .problem(nil): "the log \(path) can be written again."
    }
  }
}
