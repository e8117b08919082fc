import Configuration
import Options

extension [Declaration] {
  /// The setting that an entry of the configuration makes; nil if it is for another parameter, has
  /// the wrong type, or is a protocol that only other commands have.
  func configured(by entry: Entry) -> Given.Entry? {
    guard let declaration = configurable(entry.key),
      let texts = declaration.texts(of: entry.value, key: entry.key), !isOthersProtocol(entry)
    else { return nil }
    return Given.Entry(declaration.name, texts)
  }

  /// Whether an entry is a protocol for other commands alone: the key has one meaning for clients,
  /// and one for files, of which not all can be received.
  private func isOthersProtocol(_ entry: Entry) -> Bool {
    entry.key == SharingParameters.clientProtocol.name && !accepts(entry)
      && Subcommands.profiled.contains { $0.description.declarations.accepts(entry) }
  }

  private func accepts(_ entry: Entry) -> Bool {
    guard let declaration = configurable(entry.key),
      let texts = declaration.texts(of: entry.value, key: entry.key)
    else { return false }
    return texts.isEmpty || declaration.accepts(texts)
  }
}

extension Declaration {
  /// The texts that a value of the configuration stands for; empty if it cancels a
  /// value of `[default]`.
  ///
  /// - Parameter key: the key, which can be the opposite of a pair.
  /// - Returns: nil if the value has the wrong type.
  func texts(of value: Value, key: String) -> [String]? {
    switch (shape, value) {
    case (.flag, .boolean(let isOn)): isOn ? ["true"] : []
    case (.pair, .boolean(let isOn)): ["\(isOn == (key == name))"]
    case (.optionalValue(let implied), .boolean(true)): [implied]
    case (.value, .boolean(false)), (.list, .boolean(false)), (.optionalValue, .boolean(false)): []
    case (.list, .array(let values)): Self.texts(of: values)
    case (.value, .integer(let number)) where kind != .text: ["\(number)"]
    case (.value, .number(let number)) where kind == .number || kind == .time:
      ["\(number)"]
    case (.value, .string(let text)) where kind == .text || kind == .time: [text]
    case (.list, .string(let text)), (.optionalValue, .string(let text)): [text]
    default: nil
    }
  }

  private static func texts(of values: [Value]) -> [String]? {
    let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.count == values.count ? texts : nil
  }

  /// The type of value for a key, for messages.
  var expectedValue: String {
    switch shape {
    case .list: "a string, an array of strings, or false"
    case .value where kind == .wholeNumber: "a whole number, or false"
    case .value where kind == .number: "a number, or false"
    case .value where kind == .time: "a number, a string with a unit, or false"
    case .value: "a string, or false"
    case .optionalValue: "a string, true or false"
    default: "true or false"
    }
  }
}
