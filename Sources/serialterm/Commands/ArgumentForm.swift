/// An argument of a command, as programs and pages see it.
struct ArgumentForm: Sendable {
  /// The kind of its values.
  enum Kind: String {
    /// One of the choices.
    case choice
    /// A whole number. The choices are usual ones.
    case number
    /// A text. The choices are usual ones.
    case text
    /// The path of a file on the computer of the session's program.
    case file
    /// Yes or no.
    case flag
  }

  /// The name of its member in a JSON command.
  var name = ArgumentForm.usualName
  var kind = Kind.text
  /// The expected form, for messages: "one of none, odd, even".
  let expected: String
  /// Whether the command has a value for a missing one.
  var isOptional = false
  /// The unit of a number, such as `ms`.
  var unit: String?
  /// The range of a number; nil if only the command knows it.
  var range: ClosedRange<Int>?
  /// The values of a choice, or usual ones; nil for none.
  var choices: @Sendable (TerminalState) -> [String]? = { _ in nil }
  /// What people call the choices, in the same order; nil for the same.
  var titles: [String]?
  /// The present value; nil for none.
  var value: @Sendable (TerminalState) -> String? = { _ in nil }

  /// The name of the only argument of a command that people give, too.
  static let usualName = "argument"

  /// An argument that is a text.
  init(
    _ expected: String, value: @escaping @Sendable (TerminalState) -> String? = { _ in nil }
  ) {
    (self.expected, self.value) = (expected, value)
  }

  /// The path of a file.
  static let file = ArgumentForm("the path of a file").with { $0.kind = .file }

  /// One of a few texts.
  ///
  /// - Parameter expected: the form for messages; nil for a list of the texts.
  static func choice(
    of texts: [String], _ expected: String? = nil,
    value: @escaping @Sendable (TerminalState) -> String? = { _ in nil }
  ) -> ArgumentForm {
    ArgumentForm(expected ?? "one of \(texts.joined(separator: ", "))", value: value).with {
      $0.kind = .choice
      $0.choices = { _ in texts }
    }
  }

  /// A whole number of a range.
  static func number(_ range: ClosedRange<Int>, unit: String) -> ArgumentForm {
    ArgumentForm("\(range.lowerBound) to \(range.upperBound)").with {
      ($0.kind, $0.range, $0.unit) = (.number, range, unit)
    }
  }

  /// The argument with other properties.
  func with(_ change: (inout ArgumentForm) -> Void) -> ArgumentForm {
    var changed = self
    change(&changed)
    return changed
  }
}
