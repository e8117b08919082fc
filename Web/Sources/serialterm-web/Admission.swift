/// Which pages are let in. A value.
///
/// A browser says the origin of every WebSocket, so that a page of another origin is known. Any
/// program can say one too, so this protects from pages, not from programs.
struct Admission: Sendable {
  /// The token; nil if nobody can have it.
  let token: Token?
  /// Whether pages that this server has served need no token.
  let isOpen: Bool

  /// Whether a page is let in.
  ///
  /// - Parameters:
  ///   - text: what it gives as token.
  ///   - isOwn: whether its WebSocket comes from a page of this server.
  func admits(token text: String, isOwn: Bool) -> Bool {
    (isOpen && isOwn) || (token?.matches(text) ?? false)
  }
}
