/// A command line without the words that switch off what the configuration switches on:
/// `--no-local-echo`.
///
/// The parser knows such words only for options that are on by themselves.
struct SwitchedOff: Hashable {
  /// The other words.
  private(set) var arguments: [String] = []
  /// The keys that are switched off.
  private(set) var keys: Set<String> = []

  init(_ words: [String]) {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    for word in words[..<end] {
      if let key = Self.key(switchedOffBy: word) {
        keys.insert(key)
      } else {
        arguments.append(word)
      }
    }
    arguments += words[end...]
  }

  private static func key(switchedOffBy word: String) -> String? {
    guard word.hasPrefix("--no-"), let key = ProfileKey(named: String(word.dropFirst(5))) else {
      return nil
    }
    switch key.kind {
    case .flag: return key.name
    case .text, .texts, .integer, .number, .invertibleFlag: return nil
    }
  }
}
