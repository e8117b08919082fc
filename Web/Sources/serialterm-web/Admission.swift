/// Which pages are let in. A value.
///
/// A browser says the origin of every WebSocket, so that a page of another origin is known. Who
/// says none is another program, and needs the token even where pages of the server need none.
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
