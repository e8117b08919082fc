import Configuration
import Options

/// The parameters of a command line in the form of profile entries.
struct ProfileEntries {
  /// The entries, in the order of the command line.
  private(set) var entries: [(key: String, value: Value)] = []

  /// Converts the parameters of a `connect` command line.
  ///
  /// - Throws: ``Failure`` for a parameter that a profile cannot set.
  init(_ given: Given) throws(Failure) {
    let declarations = ConnectCommand.description.declarations
    for entry in given.entries {
      guard let declaration = declarations.first(where: { $0.name == entry.name }) else { continue }
      if declaration.isArgument {
        entries.insert(("target", Self.value(of: entry.texts)), at: 0)
        continue
      }
      guard declaration.isConfigurable else {
        throw Failure(.usage, "'--\(declaration.name)' cannot be saved in a profile.")
      }
      entries.append(Self.entry(declaration, entry.texts))
    }
    for name in given.switchedOff.sorted() { entries.append((name, .boolean(false))) }
  }

  static func entry(_ declaration: Declaration, _ texts: [String]) -> (String, Value) {
    let text = texts.last ?? ""
    switch declaration.shape {
    case .pair(let off, _) where text == "false" && off != "no-\(declaration.name)":
      return (off, .boolean(true))
    case .flag, .pair: return (declaration.name, .boolean(text == "true"))
    case .list: return (declaration.name, value(of: texts))
    default: break
    }
    let number =
      declaration.kind == .text
      ? nil : Int(text).map(Value.integer) ?? Double(text).map(Value.number)
    return (declaration.name, number ?? .string(text))
  }

  private static func value(of texts: [String]) -> Value {
    texts.count == 1 ? .string(texts[0]) : .array(texts.map { .string($0) })
  }
}
