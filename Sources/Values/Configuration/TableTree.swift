/// The tables of a document while it is read, with TOML's rules for their definition.
///
/// A table is defined once: by a heading, by dotted keys, or as a value (an inline table). A table
/// that is only on the path to another one is not defined by that.
struct TableTree {
  /// The table that contains all others.
  static let root = 0

  private var tables: [Table]
  /// The elements of arrays of tables, as indices of tables.
  private var arrays: [[Int]] = []

  private enum Content {
    case value(Value)
    case table(Int)
    case array(Int)
  }

  private struct Slot {
    let key: String
    var line: Int
    let content: Content
  }

  private struct Table {
    var definition: Definition
    /// The number of keys that lead to the table.
    let level: Int
    var slots: [Slot] = []
    /// The indices of the slots, if there are many.
    private var places: [[UInt8]: Int] = [:]

    enum Definition { case none, heading, dottedKeys }

    init(_ definition: Definition, level: Int) {
      self.definition = definition
      self.level = level
    }

    /// The index of a key's slot. Two keys are the same if they have the same code points. `String`
    /// would also treat a letter with an accent and its decomposed form as equal.
    func place(of key: String) -> Int? {
      if !places.isEmpty { return places[Array(key.utf8)] }
      return slots.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
    }

    mutating func append(_ slot: Slot) {
      slots.append(slot)
      if !places.isEmpty {
        places[Array(slot.key.utf8)] = slots.count - 1
      } else if slots.count > 16 {
        for (index, slot) in slots.enumerated() { places[Array(slot.key.utf8)] = index }
      }
    }
  }

  /// Creates a tree with an empty root.
  ///
  /// - Parameter level: the number of keys and arrays that lead to the root.
  init(level: Int) { tables = [Table(.heading, level: level)] }

  /// The number of keys and arrays that lead to a table.
  func level(of table: Int) -> Int { tables[table].level }

  // MARK: Result

  /// The entries that were read, without the tree.
  var entries: [Entry] { entries(of: Self.root) }

  private func entries(of table: Int) -> [Entry] {
    tables[table].slots.map { slot in
      let value: Value =
        switch slot.content {
        case .value(let value): value
        case .table(let table): .table(entries(of: table))
        case .array(let array): .array(arrays[array].map { .table(entries(of: $0)) })
        }
      return Entry(key: slot.key, value: value, line: slot.line)
    }
  }

  // MARK: Definitions

  /// Defines the table of a heading, `[a.b]`.
  ///
  /// - Returns: the index of the table.
  mutating func defineTable(_ path: [String], line: Int) throws(ConfigurationError) -> Int {
    let (parent, key) = try parent(of: path, line: line)
    guard let place = tables[parent].place(of: key) else {
      return addTable(key, to: parent, .heading, line: line)
    }
    let slot = tables[parent].slots[place]
    if case .table(let table) = slot.content, tables[table].definition == .none {
      tables[table].definition = .heading
      tables[parent].slots[place].line = line
      return table
    }
    let name = path.joined(separator: ".")
    if case .array = slot.content {
      throw ConfigurationError(
        line: line, "'\(name)' is an array of tables (line \(slot.line)): write [[\(name)]]")
    }
    throw duplicate("table [\(name)]", slot, line: line)
  }

  /// Appends a table to an array of tables, `[[a.b]]`.
  ///
  /// - Returns: the index of the table.
  mutating func appendTable(_ path: [String], line: Int) throws(ConfigurationError) -> Int {
    let (parent, key) = try parent(of: path, line: line)
    tables.append(Table(.heading, level: tables[parent].level + 1))
    let table = tables.count - 1
    guard let place = tables[parent].place(of: key) else {
      arrays.append([table])
      tables[parent].append(Slot(key: key, line: line, content: .array(arrays.count - 1)))
      return table
    }
    let slot = tables[parent].slots[place]
    guard case .array(let array) = slot.content else {
      let name = path.joined(separator: ".")
      throw ConfigurationError(
        line: line, "'\(name)' is \(kindName(slot)) (line \(slot.line)), not an array of tables")
    }
    arrays[array].append(table)
    return table
  }

  /// Adds a value to a table, and defines the tables of a dotted key.
  mutating func set(
    _ path: [String], to value: Value, in table: Int, line: Int
  ) throws(ConfigurationError) {
    var table = table
    for (index, key) in path.dropLast().enumerated() {
      guard let place = tables[table].place(of: key) else {
        table = addTable(key, to: table, .dottedKeys, line: line)
        continue
      }
      let slot = tables[table].slots[place]
      guard case .table(let inner) = slot.content, tables[inner].definition != .heading else {
        throw ConfigurationError(
          line: line,
          "'\(path[...index].joined(separator: "."))' is \(kindName(slot)) (line \(slot.line)), "
            + "to which a dotted key cannot add")
      }
      if tables[inner].definition == .none {
        tables[inner].definition = .dottedKeys
        tables[table].slots[place].line = line
      }
      table = inner
    }
    let key = path[path.count - 1]
    if let place = tables[table].place(of: key) {
      throw duplicate(
        "key '\(path.joined(separator: "."))'", tables[table].slots[place], line: line)
    }
    tables[table].append(Slot(key: key, line: line, content: .value(value)))
  }

  /// The parent of a heading's table. Missing tables on the path are created.
  private mutating func parent(
    of path: [String], line: Int
  ) throws(ConfigurationError) -> (table: Int, key: String) {
    var table = Self.root
    for (index, key) in path.dropLast().enumerated() {
      guard let place = tables[table].place(of: key) else {
        table = addTable(key, to: table, .none, line: line)
        continue
      }
      let slot = tables[table].slots[place]
      switch slot.content {
      case .table(let inner): table = inner
      case .array(let array): table = arrays[array][arrays[array].count - 1]
      case .value:
        throw ConfigurationError(
          line: line,
          "'\(path[...index].joined(separator: "."))' is \(kindName(slot)) (line \(slot.line)), "
            + "to which a table cannot be added")
      }
    }
    return (table, path[path.count - 1])
  }

  private mutating func addTable(
    _ key: String, to parent: Int, _ definition: Table.Definition, line: Int
  ) -> Int {
    tables.append(Table(definition, level: tables[parent].level + 1))
    tables[parent].append(Slot(key: key, line: line, content: .table(tables.count - 1)))
    return tables.count - 1
  }

  // MARK: Messages

  private func duplicate(_ what: String, _ slot: Slot, line: Int) -> ConfigurationError {
    ConfigurationError(line: line, "duplicate \(what): see line \(slot.line)")
  }

  private func kindName(_ slot: Slot) -> String {
    switch slot.content {
    case .value(.table): "an inline table"
    case .value(let value): value.kindName
    case .table: "a table"
    case .array: "an array of tables"
    }
  }
}
