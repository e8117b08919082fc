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
  /// Those on the computer of the session's program, who may use its files and programs.
  static let local: Self = [.person, .script]
  /// All but agents, which have tools of their own.
  static let exceptAgents: Self = [.person, .script, .page]
}
