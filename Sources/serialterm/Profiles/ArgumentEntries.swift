import Configuration

/// The options of a command line, converted to entries of a configuration.
struct ArgumentEntries {
  /// The entries, in the order of the options.
  private(set) var entries: [(key: String, value: Value)] = []
  /// The arguments that are not options.
  private(set) var others: [String] = []

  /// Converts arguments that the parser has accepted.
  ///
  /// - Throws: ``Failure`` for an option that a configuration cannot set.
  init(_ words: [String]) throws(Failure) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word.count > 1 else {
        others.append(word)
        continue
      }
      let letters = word.dropFirst().prefix { $0 != "=" }
      if !word.hasPrefix("--"), letters.count > 1 {
        // Several flags in one word: `-xe`.
        rest = letters.dropLast().map { "-\($0)" } + ["-\(word.dropFirst(letters.count))"] + rest
        continue
      }
      let (name, given) = Self.split(word)
      let isOff = name.hasPrefix("no-") && ProfileKey(named: name) == nil
      let keyName = isOff ? String(name.dropFirst(3)) : name
      guard let key = Self.key(keyName, isLong: word.hasPrefix("--")) else {
        throw Failure(.usage, "'\(word)' cannot be saved in a profile.")
      }
      add(key, Self.value(of: key, given, isOff: isOff, rest: &rest))
    }
  }

  /// Of two values the last counts, unless the option may be given more than once.
  private mutating func add(_ key: ProfileKey, _ value: Value) {
    let old = entries.first { $0.key == key.name }?.value
    entries.removeAll { $0.key == key.name }
    guard key.kind == .texts, let old else { return entries.append((key.name, value)) }
    if case .array(let values) = old {
      entries.append((key.name, .array(values + [value])))
    } else {
      entries.append((key.name, .array([old, value])))
    }
  }

  private static func split(_ word: String) -> (name: String, value: String?) {
    let parts = word.drop { $0 == "-" }
      .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
  }

  private static func key(_ name: String, isLong: Bool) -> ProfileKey? {
    isLong ? ProfileKey(named: name) : ProfileKey.all.first { $0.letter.map { "\($0)" } == name }
  }

  private static func value(
    of key: ProfileKey, _ given: String?, isOff: Bool, rest: inout ArraySlice<String>
  ) -> Value {
    if isOff { return .boolean(false) }
    switch key.kind {
    case .flag, .invertibleFlag: return .boolean(true)
    case .text, .texts: return .string(given ?? rest.popFirst() ?? "")
    case .integer, .number:
      // The parser has already accepted it as a number.
      let text = given ?? rest.popFirst() ?? ""
      return Int(text).map(Value.integer) ?? Double(text).map(Value.number) ?? .string(text)
    }
  }
}
