/// A configuration file of ser2net 4, parsed: ser2net.yaml(5).
///
/// Both forms of the file are read: `connection:` with an anchor as the name, repeated for each,
/// and `connections:` with names as keys, which ser2net has since 4.6. A definition or a default
/// value counts for what follows it, as ser2net reads the file from the top to the bottom.
struct Ser2netFile {
  /// A value, after the replacement of definitions.
  struct Text: Hashable {
    var text: String
    /// Whether a part of it is the contents of another file, which is not read.
    var needsFile = false
  }

  /// A setting with its place in the file.
  struct Setting {
    let key: String
    let value: Text
    let place: YAMLPlace
  }

  struct Connection {
    let name: String
    let place: YAMLPlace
    let accepter: Text
    let connector: Text
    /// The settings besides accepter and connector, in the order of the file.
    let settings: [Setting]
    /// The names in ``settings`` from `options`; other ones stand beside it.
    let optionCount: Int
    let defaults: Ser2netDefaults
  }

  private(set) var connections: [Connection] = []
  /// What stands beside the connections, and has no counterpart.
  private(set) var others: [(what: String, reason: String)] = []

  private var defaults = Ser2netDefaults()
  private var aliases: [String: Text] = [:]
  /// Whether definitions are written `=(NAME)`, as with `connections:`, and not `*(NAME)`.
  private var isNewForm: Bool?
  /// The number of bytes that definitions may still add to the file. Definitions of definitions
  /// would otherwise become a text of any size.
  private var rest = Self.largestExpansion

  /// The maximum number of bytes that definitions add, in all their uses.
  static let largestExpansion = 1_048_576

  private static let oldKeys: Set = [
    "define", "default", "delete_default", "connection", "rotator", "led", "admin",
  ]
  private static let newKeys: Set = [
    "defines", "defaults", "delete_defaults", "connections", "rotators", "leds", "admins",
  ]
  /// The keys of the main level.
  private static let keys = oldKeys.union(newKeys).union(["include"])

  /// Whether a file has a key of the main level; nil if it is not YAML.
  static func isOne(_ file: [UInt8]) -> Bool? {
    (try? YAMLReader.documents(in: file))?.contains { document in
      guard case .mapping(let pairs) = document.content else { return false }
      return pairs.contains { keys.contains($0.key.lowercased()) }
    }
  }

  /// Parses a file.
  ///
  /// - Throws: ``YAMLError`` for the first error, also for what ser2net refuses.
  init(parsing file: [UInt8]) throws(YAMLError) {
    for document in try YAMLReader.documents(in: file) {
      // A document of comments alone.
      if document.content == .scalar("") { continue }
      guard case .mapping(let pairs) = document.content else {
        throw YAMLError(
          at: document.place, "expected 'connection:', or a line of ser2net.conf, as of ser2net 3")
      }
      for pair in pairs { try read(pair) }
    }
  }

  // MARK: The main level

  private mutating func read(_ pair: YAMLPair) throws(YAMLError) {
    let key = pair.key.lowercased()
    if Self.oldKeys.contains(key) { try setForm(isNew: false, pair.place) }
    if Self.newKeys.contains(key) { try setForm(isNew: true, pair.place) }
    switch key {
    case "define":
      let value = try resolve(pair.value)
      guard let name = pair.value.anchor else {
        return others.append(("define = \(value.text)", "it has no anchor for its name"))
      }
      aliases[name] = value
    case "defines":
      for pair in try mapping(pair.value) { aliases[pair.key] = try resolve(pair.value) }
    case "default": try readDefault(try fields(pair.value, of: pair), named: nil, pair.place)
    case "defaults":
      for pair in try mapping(pair.value) {
        try readDefault(try fields(pair.value, of: pair), named: pair.key, pair.place)
      }
    case "delete_default":
      let fields = try fields(pair.value, of: pair)
      defaults.remove(
        try require("name", in: fields, of: pair), of: try require("class", in: fields, of: pair))
    case "delete_defaults":
      for pair in try mapping(pair.value) {
        guard case .sequence(let classes) = pair.value.content else {
          throw YAMLError(at: pair.value.place, "'\(pair.key)': expected a list of classes")
        }
        for name in classes { defaults.remove(pair.key, of: try resolve(name).text) }
      }
    case "connection": try readConnection(pair.value, named: try name(of: pair), pair)
    case "connections":
      for pair in try mapping(pair.value) {
        try readConnection(pair.value, named: pair.key, pair)
      }
    case "include":
      others.append(("include = \(try resolve(pair.value).text)", "import that file too"))
    case "rotator", "led", "admin": drop(key, (try? name(of: pair)) ?? "")
    case "rotators", "leds", "admins":
      for pair in try mapping(pair.value) { drop(String(key.dropLast()), pair.key) }
    default: others.append((pair.key, "not a setting of ser2net 4"))
    }
  }

  private mutating func setForm(isNew: Bool, _ place: YAMLPlace) throws(YAMLError) {
    guard isNewForm == nil || isNewForm == isNew else {
      throw YAMLError(
        at: place, "the old form, 'connection', and the new one, 'connections', are mixed")
    }
    isNewForm = isNew
  }

  private mutating func drop(_ kind: String, _ name: String) {
    others.append((name.isEmpty ? kind : "\(kind) \(name)", Self.reason(without: kind)))
  }

  /// Why something that is no connection has no counterpart.
  static func reason(without kind: String) -> String {
    switch kind {
    case "rotator": "no address leads to the first free one of several ports"
    case "led": "no LED shows what is sent and received"
    default: "'serialterm attach --list' shows who uses the ports"
    }
  }

  private mutating func readDefault(
    _ fields: [Setting], named name: String?, _ place: YAMLPlace
  ) throws(YAMLError) {
    let texts = Dictionary(fields.map { ($0.key, $0.value) }) { $1 }
    guard let name = name ?? texts["name"]?.text else {
      throw YAMLError(at: place, "a default without a name")
    }
    let value = texts["value"] ?? Text(text: "")
    let isUsed = !value.needsFile && defaults.set(name, of: texts["class"]?.text, to: value.text)
    if !isUsed {
      let place = texts["class"].map { " of \($0.text)" } ?? ""
      others.append(("default \(name)\(place) = \(value.text)", Ser2netDefaults.reason(name)))
    }
  }

  // MARK: Connections

  /// The anchor, which is the name in the old form.
  private mutating func name(of pair: YAMLPair) throws(YAMLError) -> String {
    guard let name = pair.value.anchor else {
      throw YAMLError(at: pair.value.place, "'\(pair.key)' has no name: write it as &NAME")
    }
    aliases[name] = Text(text: name)
    return name
  }

  private mutating func readConnection(
    _ node: YAMLNode, named name: String, _ pair: YAMLPair
  ) throws(YAMLError) {
    var fields: [Setting] = []
    var options: [Setting] = []
    for pair in try mapping(node) {
      if pair.key.lowercased() == "options" {
        // Without an option below it, it is a text.
        if pair.value.content == .scalar("") { continue }
        options += try settings(pair.value)
      } else {
        let key = pair.key.lowercased()
        let value = try resolve(pair.value)
        guard
          !["accepter", "connector"].contains(key) || !fields.contains(where: { $0.key == key })
        else { throw YAMLError(at: pair.place, "a second '\(key)'") }
        fields.append(Setting(key: key, value: value, place: pair.place))
      }
    }
    func field(_ key: String) throws(YAMLError) -> Text {
      guard let value = fields.first(where: { $0.key == key })?.value, !value.text.isEmpty else {
        throw YAMLError(at: pair.place, "the connection '\(name)' has no '\(key)'")
      }
      return value
    }
    let (accepter, connector) = (try field("accepter"), try field("connector"))
    fields.removeAll { ["accepter", "connector"].contains($0.key) }
    connections.append(
      Connection(
        name: name, place: pair.place, accepter: accepter, connector: connector,
        settings: options + fields, optionCount: options.count, defaults: defaults))
  }

  // MARK: Nodes

  private func mapping(_ node: YAMLNode) throws(YAMLError) -> [YAMLPair] {
    guard case .mapping(let pairs) = node.content else {
      throw YAMLError(at: node.place, "expected lines 'KEY: VALUE', indented")
    }
    return pairs
  }

  private mutating func settings(_ node: YAMLNode) throws(YAMLError) -> [Setting] {
    var settings: [Setting] = []
    for pair in try mapping(node) {
      settings.append(
        Setting(key: pair.key, value: try resolve(pair.value), place: pair.place))
    }
    return settings
  }

  /// The texts of a `default` or `delete_default`.
  private mutating func fields(
    _ node: YAMLNode, of pair: YAMLPair
  ) throws(YAMLError) -> [Setting] {
    let fields = try settings(node)
    if let other = fields.first(where: { !["name", "value", "class"].contains($0.key) }) {
      throw YAMLError(
        at: other.place, "'\(other.key)' in '\(pair.key)': expected name, value or class")
    }
    return fields
  }

  private func require(
    _ key: String, in fields: [Setting], of pair: YAMLPair
  ) throws(YAMLError) -> String {
    guard let value = fields.first(where: { $0.key == key })?.value.text else {
      throw YAMLError(at: pair.place, "'\(pair.key)' has no '\(key)'")
    }
    return value
  }

  /// The text of a node.
  private mutating func resolve(_ node: YAMLNode) throws(YAMLError) -> Text {
    switch node.content {
    case .scalar(let text): return try expand(text, at: node.place)
    case .alias(let name): return try value(of: name, at: node.place)
    case .mapping, .sequence: throw YAMLError(at: node.place, "expected a text")
    }
  }

  /// Replaces `*(NAME)` by a definition, and notes `*{FILE}`. See `process_scalar` of ser2net's
  /// yamlconf.c.
  private mutating func expand(_ text: String, at place: YAMLPlace) throws(YAMLError) -> Text {
    let sign = UInt8(ascii: isNewForm == true ? "=" : "*")
    guard text.utf8.contains(sign) else { return Text(text: text) }
    var result = Text(text: "")
    var rest = Substring(text).utf8
    while let index = rest.firstIndex(of: sign) {
      result.text += String(rest[..<index]) ?? ""
      rest = rest[rest.index(after: index)...]
      let opening = rest.first.map { Unicode.Scalar($0) }
      guard opening == "(" || opening == "{" else {
        // Two signs are one.
        if rest.first == sign { rest = rest.dropFirst() }
        result.text.unicodeScalars.append(Unicode.Scalar(sign))
        continue
      }
      rest = rest.dropFirst()
      if rest.first == sign {
        rest = rest.dropFirst()
        result.text.unicodeScalars.append(Unicode.Scalar(sign))
        result.text.unicodeScalars.append(opening == "(" ? "(" : "{")
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: opening == "(" ? ")" : "}")) else {
        throw YAMLError(at: place, "a definition or a file without a closing bracket")
      }
      let name = String(rest[..<end]) ?? ""
      rest = rest[rest.index(after: end)...]
      if opening == "{" {
        result.text += "{\(name)}"
        result.needsFile = true
      } else {
        let value = try value(of: name, at: place)
        result.text += value.text
        result.needsFile = result.needsFile || value.needsFile
      }
    }
    result.text += String(rest) ?? ""
    return result
  }

  private mutating func value(of name: String, at place: YAMLPlace) throws(YAMLError) -> Text {
    guard let value = aliases[name] else {
      throw YAMLError(at: place, "there is no definition '\(name)' above")
    }
    rest -= value.text.utf8.count
    guard rest >= 0 else {
      throw YAMLError(
        at: place, "the definitions add more than \(Self.largestExpansion / 1_048_576) MiB")
    }
    return value
  }
}
