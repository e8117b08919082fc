/// The lines that were submitted earlier, the oldest first.
///
/// Empty lines are not kept. A line that is repeated is kept once.
public struct History: Equatable, Sendable {
  /// The maximum number of lines, at least 1.
  public let capacity: Int
  public private(set) var lines: [String] = []

  /// Creates an empty history.
  public init(capacity: Int = 1000) {
    precondition(capacity > 0)
    self.capacity = capacity
  }

  /// Appends a line, and removes the oldest one if there are too many.
  public mutating func append(_ line: String) {
    guard !line.isEmpty, line != lines.last else { return }
    lines.append(line)
    if lines.count > capacity { lines.removeFirst() }
  }
}

extension History {
  /// Parses a history with one entry per line.
  ///
  /// A backslash that does not begin a known escape stands for itself.
  public init(parsing text: String, capacity: Int = 1000) {
    self.init(capacity: capacity)
    for line in text.split(whereSeparator: \.isNewline).suffix(capacity) {
      append(Self.unescaped(line))
    }
  }

  /// The history as text with one entry per line. Backslashes and control characters are written as
  /// `\\`, `\n`, `\t` and `\u{85}`.
  public var serialised: String { lines.map { Self.escaped($0) + "\n" }.joined() }

  private static func escaped(_ line: String) -> String {
    line.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      default:
        let category = scalar.properties.generalCategory
        if [.control, .lineSeparator, .paragraphSeparator].contains(category) {
          text += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
  }

  private static func unescaped(_ line: Substring) -> String {
    var text = String.UnicodeScalarView()
    var rest = Substring(line).unicodeScalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let (meant, length) = meaning(of: rest) else {
        text.append(scalar)
        continue
      }
      text.append(meant)
      rest.removeFirst(length)
    }
    return String(text)
  }

  /// The scalar that an escape stands for, and the length of the escape after the backslash.
  private static func meaning(
    of rest: Substring.UnicodeScalarView
  ) -> (Unicode.Scalar, length: Int)? {
    switch rest.first {
    case "\\": return ("\\", 1)
    case "n": return ("\n", 1)
    case "t": return ("\t", 1)
    case "u":
      let braced = rest.dropFirst()
      guard braced.first == "{", let end = braced.firstIndex(of: "}") else { return nil }
      let digits = braced[..<end].dropFirst()
      guard let value = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(value) else {
        return nil
      }
      return (scalar, digits.count + 3)
    default: return nil
    }
  }
}
