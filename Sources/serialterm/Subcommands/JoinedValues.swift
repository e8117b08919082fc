/// Option values that getopt(3) takes and the argument parser does not: right after the option's letter
/// (`-b9600`, `-xb9600`), and negative numbers (`-b -1`), so that the option can say what is wrong.
enum JoinedValues {
  /// The arguments with every `-b9600` and `-b -1` as `-b=9600` and `-b=-1`.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return withNegativeNumbers(arguments[..<end]).flatMap(words) + arguments[end...]
  }

  /// Joins a negative number to the option in front of it. No option is called by a digit.
  private static func withNegativeNumbers(_ arguments: ArraySlice<String>) -> [String] {
    var result: [String] = []
    for argument in arguments {
      guard isNegativeNumber(argument), let option = result.last, option.hasPrefix("-"),
        !isNegativeNumber(option), !option.contains("=")
      else {
        result.append(argument)
        continue
      }
      if option.hasPrefix("--") {
        result[result.count - 1] = "\(option)=\(argument)"
      } else if let letter = option.last, takesValue(letter) == true {
        result[result.count - 1] = option + argument
      } else {
        result.append(argument)
      }
    }
    return result
  }

  private static func isNegativeNumber(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
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
    // The format is optional: `-te` is two flags.
    if letter == "t" && value.allSatisfy({ takesValue($0) == false }) {
      return ["-\(flags)t", "-\(value)"]
    }
    return (flags.isEmpty ? [] : ["-\(flags)"]) + ["-\(letter)=\(value)"]
  }

  /// Whether an option's letter takes a value; nil if no option has it.
  private static func takesValue(_ letter: Character) -> Bool? {
    ProfileKey.all.first { $0.letter == letter }.map { key in
      switch key.kind {
      case .text, .texts, .integer, .number: true
      case .flag, .invertibleFlag: false
      }
    }
  }
}
