package import SerialCore

extension Author {
  /// The terminal of the user, which answers questions of the device.
  package static let terminal = Author(.terminal, "terminal")
}

extension Author.Kind {
  /// A terminal.
  package static let terminal = Author.Kind("terminal")
  /// A client that has joined a session.
  package static let client = Author.Kind("client")
  /// A client that is the program of an agent.
  package static let agent = Author.Kind("agent")
}
