package import SystemPackage
package import Views

/// A moment of a session that somebody has marked.
package struct Mark: Hashable {
  /// Its number in the session, from 1.
  package let number: Int
  package let moment: Moment
  /// What it says; nil for nothing.
  package let text: String?
}

/// A log that does not have a mark.
package enum UnmarkedLog: Hashable {
  /// A raw log has the device's bytes and nothing else.
  case raw(FilePath)
  /// The log is too slow, and had no room.
  case full(FilePath)
}

/// Numbers the marks of a session, writes them to its logs, and reports them as news.
package final class Marks {
  /// The number of marks.
  package private(set) var count = 0

  private let log: LogKeeper
  private let report: (SessionNews) -> Void

  /// - Parameter report: receives each mark.
  init(in log: LogKeeper, report: @escaping (SessionNews) -> Void) {
    self.log = log
    self.report = report
  }

  /// Marks a moment.
  ///
  /// - Parameters:
  ///   - text: what the mark says; nil for nothing.
  ///   - moment: what has been received by now is before the mark.
  /// - Returns: the mark, and the logs that do not have it.
  package func add(_ text: String?, at moment: Moment) -> (mark: Mark, unmarked: [UnmarkedLog]) {
    count += 1
    let mark = Mark(number: count, moment: moment, text: text)
    let unmarked = log.append(mark)
    report(.mark(mark))
    return (mark, unmarked)
  }
}
