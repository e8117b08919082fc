extension Value: CustomStringConvertible {
  /// As TOML writes it.
  public var description: String {
    switch self {
    case .string(let text): Self.quoted(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .boolean(let value): "\(value)"
    case .array(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    }
  }

  private static func quoted(_ text: String) -> String {
    // Backslashes are many in expressions: quotes that leave them alone read better.
    let isPlain = text.unicodeScalars.allSatisfy {
      $0 != "'" && $0.properties.generalCategory != .control
    }
    if isPlain && text.unicodeScalars.contains("\\") { return "'\(text)'" }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // C1 too, which TOML lets stand: the text may be printed on a terminal.
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension ConfigurationFile {
  /// A profile as it stands in a file.
  public static func text(profile name: String, _ entries: [(key: String, value: Value)]) -> String
  {
    let lines = entries.map { "\($0.key) = \($0.value)\n" }
    return "[profile.\(name)]\n" + lines.joined()
  }
}
