package import TextTools

/// A line of a program that drives a session: a command in JSON, or the reason why it is none.
package struct ProgramLine {
  package let content: Result<JSON, any Error>
  /// The number of bytes.
  package let length: Int

  /// Parses a line.
  package init(_ text: String) {
    content = Result { try JSON(parsing: text) }
    length = text.utf8.count
  }

  /// A line that could not be read.
  package init(unreadable reason: any Error) { (content, length) = (.failure(reason), 0) }

  private var json: JSON? { try? content.get() }

  /// What the answer repeats.
  package var id: JSON { json?["id"] ?? .null }

  /// The name of the command; nil if the line has none.
  package var name: String? { json?["command"]?.string }

  /// Whether it stops the commands before it.
  package var isCancel: Bool { name == "cancel" }
}
