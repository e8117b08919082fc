/// A line of the answers that Wireshark reads: a word, and fields in braces.
///
/// Source: extcap(4), "Developer's Guide", section 8.
struct ExtcapSentence: CustomStringConvertible {
  private let word: String
  private let fields: [(name: String, value: String)]

  init(_ word: String, _ fields: [(name: String, value: String)]) {
    (self.word, self.fields) = (word, fields)
  }

  /// The line without its end. A value has neither braces nor control characters.
  var description: String {
    "\(word) " + fields.map { "{\($0.name)=\(Self.safe($0.value))}" }.joined()
  }

  private static func safe(_ value: String) -> String {
    String(
      String.UnicodeScalarView(
        value.unicodeScalars.map { scalar in
          switch scalar {
          case "{": "("
          case "}": ")"
          default: scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
          }
        }))
  }
}

/// An option of an interface, in Wireshark's dialog.
struct ExtcapOption {
  /// How Wireshark asks for the value.
  enum Form: String {
    case selector, string
    /// A whole number.
    case unsigned
  }

  let name: String
  let title: String
  let tooltip: String
  let form: Form
  var isRequired = false
  /// The values to choose from, with what they mean.
  var values: [(value: String, title: String)] = []
  /// The value without a choice; nil for none.
  var standard: String?

  /// The lines that describe it.
  ///
  /// - Parameter number: its number among the options of the interface, from 0.
  func sentences(number: Int) -> [ExtcapSentence] {
    var fields: [(String, String)] = [
      ("number", "\(number)"), ("call", "--\(name)"), ("display", title), ("type", form.rawValue),
      ("tooltip", tooltip),
    ]
    if isRequired { fields.append(("required", "true")) }
    if let standard { fields.append(("default", standard)) }
    return [ExtcapSentence("arg", fields)]
      + values.map { value, title in
        ExtcapSentence(
          "value",
          [
            ("arg", "\(number)"), ("value", value), ("display", title),
            ("default", value == standard ? "true" : "false"),
          ])
      }
  }
}
