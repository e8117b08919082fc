package import Framing
package import TextTools

/// A line of a program that drives a session: a command in JSON, or the reason why it is none.
package struct ProgramLine: ProgramMessage {
  package let content: Result<JSON, any Error>

  package static let beginsInTurn = true

  package static func messages(of line: Result<String, FrameDamage>) -> [ProgramLine] {
    [ProgramLine(content: Result { try JSON(parsing: try line.get()) })]
  }

  private var json: JSON? { try? content.get() }

  /// What the answer repeats.
  package var id: JSON { json?["id"] ?? .null }

  /// The name of the command; nil if the line has none.
  private var name: String? { json?["command"]?.string }

  package var isCancel: Bool { name == "cancel" }

  /// A `watch` is about what the session reports when the program joins.
  package var needsSession: Bool { json != nil && !["watch", "close"].contains(name) }
}
