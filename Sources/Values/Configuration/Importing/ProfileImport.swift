/// The configuration of another program, converted to profiles of serialterm.
///
/// Nothing is dropped silently: a setting without a counterpart becomes a comment with the reason.
public protocol ProfileImport {
  /// Returns the reason why serialterm refuses a value for a key; nil if it accepts it.
  typealias Check = (_ key: String, _ value: Value) -> String?

  /// The configuration, in TOML. It contains only entries that the check accepts.
  var text: String { get }
  /// The number of settings that became comments.
  var droppedCount: Int { get }
}

/// Makes the names of imported profiles: valid ones, each used once.
struct ProfileNames {
  /// The program whose names they were.
  let program: String
  private var used: Set<String> = []
  /// The last number that made a name different from the others.
  private var numbers: [String: Int] = [:]

  init(of program: String) { self.program = program }

  /// The heading of the next profile's table: a second line names the original, if it differs.
  mutating func heading(for name: String) -> (name: String, lines: [String]) {
    let word = String(
      name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_".contains($0) ? $0 : "-" })
    let base = ConfigurationFile.complaint(aboutName: word) == nil ? word : "\(program)-\(word)"
    var (result, number) = (base, numbers[base] ?? 1)
    while !used.insert(result).inserted {
      number += 1
      result = "\(base)-\(number)"
    }
    numbers[base] = number
    let heading = "[profile.\(result)]"
    return (result, result == name ? [heading] : [heading, "# [\(name.inComment)] in \(program)"])
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text for use in a comment: without the characters that must be escaped in a string.
  var inComment: String { String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isHidden })) }
}
