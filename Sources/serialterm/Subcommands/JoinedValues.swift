/// Values that stand right behind an option's letter, as getopt(3) takes them and the parser does not:
/// `-b9600`, `-xb9600`.
enum JoinedValues {
  /// The arguments with every `-b9600` made `-b=9600`.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].flatMap(words) + arguments[end...]
  }

  private static func words(in argument: String) -> [String] {
    guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return [argument] }
    let letters = argument.dropFirst()
    let flags = letters.prefix { takesValue($0) == false }
    guard let letter = letters.dropFirst(flags.count).first, takesValue(letter) == true else {
      return [argument]
    }
    let value = letters.dropFirst(flags.count + 1)
    guard let first = value.first, first != "=" else { return [argument] }
    // A format may be left out: `-te` is two flags.
    if letter == "t" && value.allSatisfy({ takesValue($0) == false }) {
      return ["-\(flags)t", "-\(value)"]
    }
    return (flags.isEmpty ? [] : ["-\(flags)"]) + ["-\(letter)=\(value)"]
  }

  /// Whether a value follows a letter; nil if no option has it.
  private static func takesValue(_ letter: Character) -> Bool? {
    ProfileKey.all.first { $0.letter == letter }.map { key in
      switch key.kind {
      case .text, .texts, .integer, .number: true
      case .flag, .invertibleFlag: false
      }
    }
  }
}
