/// The checked values of a command's parameters: from the command line, otherwise from the
/// configuration, otherwise the default values.
public struct Values: Hashable, Sendable {
  /// The parameters of the command line.
  public let given: Given
  /// The parameters of the command line and the configuration.
  public let all: Given

  /// Checks the texts of parameters.
  ///
  /// - Parameters:
  ///   - given: the command line.
  ///   - configured: the configuration. Of two entries for one parameter, the last one counts.
  ///   - declarations: the parameters of the command.
  /// - Throws: ``UsageError`` for the first wrong text.
  public init(
    _ given: Given, _ configured: [Given.Entry] = [], of declarations: [Declaration]
  ) throws(UsageError) {
    self.given = given
    var all = Given()
    for entry in configured where !given.switchedOff.contains(entry.name) {
      // An entry without texts cancels an earlier one.
      all = all.with(entry.name, entry.texts.isEmpty ? nil : entry.texts)
    }
    for entry in given.entries { all = all.with(entry.name, entry.texts) }
    all.switchedOff = given.switchedOff
    self.all = all
    guard !all.entries.isEmpty else { return }
    for declaration in declarations {
      guard let texts = all[declaration.name] else { continue }
      do {
        try declaration.check(texts)
      } catch {
        throw UsageError(
          about: [declaration.name], Self.message(for: "\(error)", about: declaration))
      }
    }
  }

  /// An error as text: `--baud 'x': expected …`. An error about an argument does not need
  /// the argument's name.
  private static func message(for error: String, about declaration: Declaration) -> String {
    if declaration.isArgument { return error }
    return "--\(declaration.name)\(error.hasPrefix("'") ? " " : ": ")\(error)"
  }

  /// The value of a parameter.
  public subscript<Value>(parameter: Parameter<Value>) -> Value {
    all[parameter.declaration.name].map(parameter.value) ?? parameter.standard
  }
}

/// The error for a command line that a command does not accept.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistake, and the expected form.
  public let description: String
  /// The names of the parameters that caused it.
  public let parameters: [String]

  /// Creates an error.
  public init(about parameters: [String] = [], _ description: String) {
    self.parameters = parameters
    self.description = description
  }
}
