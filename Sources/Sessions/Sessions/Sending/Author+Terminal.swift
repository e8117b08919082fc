package import SerialCore

extension Author {
  /// The terminal of the user, which answers questions of the device.
  package static let terminal = Author(.terminal, "terminal")
}

extension Author.Kind {
  /// A terminal.
  package static let terminal = Author.Kind("terminal")
}
