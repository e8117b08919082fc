/// The parameters that the words of a command line give, as texts that were not checked yet.
public struct Given: Hashable, Sendable {
  /// A parameter and its texts.
  public struct Entry: Hashable, Sendable {
    public let name: String
    public internal(set) var texts: [String]

    /// Creates an entry.
    public init(_ name: String, _ texts: [String]) {
      self.name = name
      self.texts = texts
    }
  }

  /// The given parameters, in the order of their first words. A flag has the text `true`, the
  /// opposite of a pair `false`.
  public internal(set) var entries: [Entry] = []
  /// The names of parameters that the command line switches off: `--no-timestamps`. They have no
  /// value, even if a configuration file sets one.
  public internal(set) var switchedOff: Set<String> = []

  /// Creates the result of an empty command line.
  public init() {}

  /// The texts of a parameter; nil if it is not given.
  public subscript(name: String) -> [String]? { entries.first { $0.name == name }?.texts }

  /// The same with other texts for a parameter; nil removes it.
  public func with(_ name: String, _ texts: [String]?) -> Given {
    var other = self
    other.entries.removeAll { $0.name == name }
    if let texts { other.entries.append(Entry(name, texts)) }
    return other
  }

  mutating func add(_ text: String, to declaration: Declaration) {
    switchedOff.remove(declaration.name)
    guard let index = entries.firstIndex(where: { $0.name == declaration.name }) else {
      return entries.append(Entry(declaration.name, [text]))
    }
    switch declaration.shape {
    case .list, .pairs, .arguments, .wordsAfterDashes: entries[index].texts.append(text)
    // Of two values, the last one counts.
    case .flag, .pair, .value, .optionalValue, .argument: entries[index].texts = [text]
    }
  }

  mutating func switchOff(_ declaration: Declaration) {
    entries.removeAll { $0.name == declaration.name }
    switchedOff.insert(declaration.name)
  }
}
