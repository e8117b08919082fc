/// The checked values of a command's parameters: what the command line gives, else what the configuration
/// gives, else the standard values.
public struct Values: Hashable, Sendable {
  /// What the command line gives.
  public let given: Given
  /// What the command line and the configuration give.
  public let all: Given

  /// Checks the texts of parameters.
  ///
  /// - Parameters:
  ///   - given: the command line.
  ///   - configured: the configuration; of two entries for one parameter the last counts.
  ///   - declarations: the parameters of the command.
  /// - Throws: ``UsageError`` for the first text that is wrong.
  public init(
    _ given: Given, _ configured: [Given.Entry] = [], of declarations: [Declaration]
  ) throws(UsageError) {
    self.given = given
    var all = Given()
    for entry in configured where !given.switchedOff.contains(entry.name) {
      // Without texts an entry takes back what an earlier one says.
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

  /// An error in words: `--baud 'x': expected …`. The words of an argument say themselves what they are.
  private static func message(for error: String, about declaration: Declaration) -> String {
    if declaration.isArgument { return error }
    return "--\(declaration.name)\(error.hasPrefix("'") ? " " : ": ")\(error)"
  }

  /// The value of a parameter.
  public subscript<Value>(parameter: Parameter<Value>) -> Value {
    all[parameter.declaration.name].map(parameter.value) ?? parameter.standard
  }
}

/// A command line that a command does not take.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what is expected.
  public let description: String
  /// The names of the parameters that it is about.
  public let parameters: [String]

  /// Creates an error.
  public init(about parameters: [String] = [], _ description: String) {
    self.parameters = parameters
    self.description = description
  }
}
