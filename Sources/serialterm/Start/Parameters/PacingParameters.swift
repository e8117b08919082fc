import Options
import Patterns
import Sessions

/// The parameters that slow down sending, for devices without flow control.
enum PacingParameters {
  static let byteDelay = delay("byte-delay", "o", "Milliseconds to wait after each byte sent.")

  static let lineDelay = delay("line-delay", "O", "Milliseconds to wait after each line sent.")

  static let waitFor = Parameter<ExpectedPattern?>.option(
    "wait-for", "REGEX", "Send the next line when the device has sent matching text.",
    parse: { try ExpectedPattern.regex($0) })

  static let waitForSkip = Parameter<Pattern?>.option(
    "wait-for-skip", "REGEX", "Do not wait after sent lines that match: comments, empty lines.",
    parse: { text in
      if text.isEmpty { throw ValueError(text, expected: "a regular expression") }
      return try Pattern(parsing: text)
    })

  static let section = ParameterSection("PACING", [byteDelay, lineDelay, waitFor, waitForSkip])

  private static func delay(
    _ name: String, _ letter: Character, _ summary: String
  ) -> Parameter<Int> {
    .milliseconds(name, letter: letter, summary, 0...60_000, standard: 0)
  }
}

extension Values {
  /// The delays of sending.
  var pacing: Pacing {
    Pacing(
      byteDelay: .milliseconds(self[PacingParameters.byteDelay]),
      lineDelay: .milliseconds(self[PacingParameters.lineDelay]),
      waitFor: self[PacingParameters.waitFor], unanswered: self[PacingParameters.waitForSkip])
  }

  /// Checks that the parameters of pacing have an effect.
  ///
  /// - Throws: `UsageError`.
  func checkPacing() throws(UsageError) {
    guard given[PacingParameters.waitForSkip.name] != nil, self[PacingParameters.waitFor] == nil
    else { return }
    throw UsageError("--wait-for-skip needs --wait-for REGEX")
  }
}
