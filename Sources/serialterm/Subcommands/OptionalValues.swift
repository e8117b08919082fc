import Views

/// Options whose value may be left out, which the parser does not know: the value that is meant is
/// put in for it.
enum OptionalValues {
  /// The arguments with every `-t` and `--timestamps` that no format follows made `time`.
  static func complete(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" { break }
      guard takesFormat(argument) else { continue }
      let isGiven = rest.first.map { (try? TimestampFormat(parsing: $0)) != nil } ?? false
      if !isGiven { result.append("\(TimestampFormat(.time))") }
    }
    return result + rest
  }

  /// Whether it is the option, alone or behind flags of one letter: `-t`, `-xet`.
  private static func takesFormat(_ argument: String) -> Bool {
    if argument == "--timestamps" { return true }
    let flags = argument.dropFirst().dropLast()
    return argument.hasPrefix("-") && argument.hasSuffix("t") && flags.allSatisfy("exnq".contains)
      && argument != "-"
  }
}
