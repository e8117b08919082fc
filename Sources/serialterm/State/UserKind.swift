/// What uses a session by commands.
enum UserKind: String, CaseIterable {
  /// A person at the terminal of the program.
  case person
  /// A script, or a program at the other end of the standard streams.
  case script
  /// A page in a browser.
  case page
  /// An agent.
  case agent
}

extension Set<UserKind> {
  /// All who use sessions.
  static let everyone = Set(UserKind.allCases)
  /// All but pages: what they do must stay in the session.
  static let exceptPages: Self = [.person, .script, .agent]
}
