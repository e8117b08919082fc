import FoundationEssentials
import NIOCore

/// An event of a session that the server itself takes note of.
enum SessionEvent: Equatable {
  /// The command with this id was performed, or failed.
  case answered(id: BrowserCommand.Scalar)
  /// The session has ended, for a reason that its members get.
  case ended(reason: String)

  /// What these events begin with. Most lines are received text, and are not looked at further.
  private static let starts = ["done", "failed", "ended"].map { Array(#"{"event":"\#($0)""#.utf8) }

  /// - Parameter line: a line of `serialterm attach --json`; nil comes for other events.
  init?(_ line: ByteBuffer) {
    let bytes = line.readableBytesView
    guard Self.starts.contains(where: { bytes.starts(with: $0) }),
      let members = try? JSONDecoder().decode(Members.self, from: Data(bytes))
    else { return nil }
    switch (members.event, members.id, members.reason) {
    case ("ended", _, let reason?): self = .ended(reason: reason)
    case ("done", let id?, _), ("failed", let id?, _): self = .answered(id: id)
    default: return nil
    }
  }

  private struct Members: Decodable {
    let event: String
    let id: BrowserCommand.Scalar?
    let reason: String?
  }
}
