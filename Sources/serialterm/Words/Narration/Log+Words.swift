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
      "the log \(path) cannot be rotated, and continues in the old file: \(error.words(at: path))."
    case .problem(.moved(let error)):
      "the log \(path) is not at its path any more, and a new file cannot be started there: "
        + "\(error.words(at: path)). It continues in the old file."
    case .problem(.removed(let error)):
      "the log \(path) was removed, and cannot be started again: \(error.words(at: path)). "
        + "Up to \(Log.capacity >> 20) MiB are buffered until it can."
    case .problem(.incomplete(let error)):
      "the log \(path) does not end with a whole packet, and a new file cannot be started: "
        + "\(error.words(at: path)). Up to \(Log.capacity >> 20) MiB are buffered until it can."
    case .solved(.unwritable), .solved(.removed), .solved(.incomplete):
      "the log \(path) can be written again."
    case .solved(.notRotated): "the log continues in a new file, \(path)."
    case .solved(.moved): "the log \(path) is written at its path again."
    case .shortened:
      "another program has shortened the log \(path), which continues. This is reported once."
    case .setAside(path):
      "the log \(path) does not end with a whole packet: a new file was started."
    case .setAside(let newPath):
      "the log \(path) does not end with a whole packet: it is \(newPath) now, and a new file was "
        + "started."
    }
  }
}

extension LogFileError {
  /// The problem. The path is left out where it is known.
  fileprivate func words(at known: FilePath) -> String { path == known ? reason.words : "\(self)" }
}
