/// A command line without the words `--no-NAME`, which cancel what the configuration says about an
/// option: `--no-local-echo`, `--no-timestamps`.
///
/// The parser itself knows `--no-NAME` only for options that are on by default.
struct SwitchedOff: Hashable {
  /// The other arguments.
  var arguments: [String] = []
  /// The keys of the configuration that are cancelled.
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
    return key.kind == .invertibleFlag ? nil : key.name
  }
}
