import Logs
import Sessions
import TextTools
import Time

extension Command {
  /// Marks a moment in the view and in the logs, so that the user can find it again.
  static let mark = CommandWithArgument(
    "M", "mark", "mark this moment", or: ["bookmark", "note", "annotate", "label", "separator"],
    users: .everyone,
    argument: .note
  ) { text, call in
    let (mark, unmarked) = call.port.marks.add(text.isEmpty ? nil : text, at: .now)
    // A user sees the mark in the view.
    let title = call.isFromUser ? [] : ["mark \(mark.number) at \(Timestamp(mark.moment).rfc3339)."]
    call.answer(.done(lines: title + unmarked.map { $0.words(for: mark) }))
  }
}

extension ArgumentKind where Value == String {
  /// The maximum length of a note, in bytes.
  private static var largestNote: Int { 4_096 }

  /// A line of text, which is optional.
  fileprivate static var note: Self {
    ArgumentKind(
      ArgumentForm("a line of text of at most \(largestNote.grouped) bytes"),
      parse: { text in
        let isLine = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return isLine && text.utf8.count <= largestNote ? text : nil
      },
      standard: "")
  }
}

extension Mark {
  /// The line of a mark in a view.
  ///
  /// - Parameter port: the name of its port; nil if there is only one.
  func line(port: String?) -> String {
    let words =
      (port.map { "\($0): " } ?? "") + "mark \(number) at \(Timestamp(moment).timeOfDay)"
      + (text.map { ": \($0)" } ?? "")
    return "--- \(words) ---"
  }
}

extension UnmarkedLog {
  /// The message that the log does not contain the mark, with the reason.
  func words(for mark: Mark) -> String {
    switch self {
    case .withoutMarks(let path, .raw):
      "mark \(mark.number) is not in \(path): a raw log has the device's bytes and nothing else."
    case .withoutMarks(let path, let format):
      "mark \(mark.number) is not in \(path): a \(format.rawValue) log has no marks."
    case .full(let path): "mark \(mark.number) is not in \(path), which is too slow."
    }
  }
}
