package import Logs
package import SystemPackage
package import Time

/// A mark that a user has set at a moment of a session.
package struct Mark: Hashable {
  /// Its number in the session, from 1.
  package let number: Int
  package let moment: Moment
  /// The text of the mark; nil for none.
  package let text: String?
}

/// A log that does not have a mark.
package enum UnmarkedLog: Hashable {
  /// The format has no marks: a raw log, for one, contains only the device's bytes.
  case withoutMarks(FilePath, LogFormat)
  /// The log is too slow, and its buffer is full.
  case full(FilePath)
}

/// Numbers the marks of a session, writes them to its logs, and reports them as news.
package final class Marks {
  /// The number of marks.
  package private(set) var count = 0

  private let log: SessionLogger
  private let report: (SessionNews) -> Void

  /// - Parameter report: receives each mark.
  init(in log: SessionLogger, report: @escaping (SessionNews) -> Void) {
    self.log = log
    self.report = report
  }

  /// Marks a moment.
  ///
  /// - Parameters:
  ///   - text: the text of the mark; nil for none.
  ///   - moment: the time of the mark. Bytes received earlier come before it.
  /// - Returns: the mark, and the logs that do not have it.
  package func add(_ text: String?, at moment: Moment) -> (mark: Mark, unmarked: [UnmarkedLog]) {
    count += 1
    let mark = Mark(number: count, moment: moment, text: text)
    let unmarked = log.append(mark)
    report(.mark(mark))
    return (mark, unmarked)
  }
}
