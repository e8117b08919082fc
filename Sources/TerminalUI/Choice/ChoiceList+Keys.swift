extension ChoiceList {
  /// Handles a key.
  ///
  /// Characters extend the query. Backspace deletes the last one, ctrl-w the last word, ctrl-u the whole query. The
  /// arrows, ctrl-p and ctrl-n, tab and shift-tab select, and wrap around at the ends. Page up and down, home and end
  /// select without wrapping. Enter chooses; escape, ctrl-c and ctrl-g cancel.
  public mutating func handle(_ key: Key) -> Outcome {
    let outcome = take(key)
    settle()
    return outcome
  }

  /// Handles a key, but leaves the search for a changed query to ``settle()``: one search is enough for many keys.
  /// Enter searches immediately.
  public mutating func take(_ key: Key) -> Outcome {
    let hadRefusal = refused != nil
    forgetRefusal()
    let outcome = obey(key)
    return outcome == .unchanged && hadRefusal ? .changed : outcome
  }

  mutating func obey(_ key: Key) -> Outcome {
    switch key {
    case .character(let scalar):
      return search(query + String(scalar))
    case .paste(let bytes):
      return search(query + Self.queryText(of: bytes))
    case .named(let name, let modifiers):
      return obey(name, modifiers)
    case .control("p"):
      return step(by: -1, key)
    case .control("n"):
      return step(by: 1, key)
    case .control("u"):
      return search("")
    case .control("w"):
      return search(query.droppingLastWord)
    case .control("c"), .control("g"):
      return .cancelled
    case .control, .alt:
      return .unchanged
    }
  }

  private mutating func obey(_ name: Key.Name, _ modifiers: Key.Modifiers) -> Outcome {
    let key = Key.named(name, modifiers)
    switch name {
    case .enter:
      settle()
      return choose()
    case .escape: return .cancelled
    case .backspace: return search(String(query.dropLast()))
    case .up: return step(by: -1, key)
    case .down: return step(by: 1, key)
    case .tab: return step(by: modifiers.contains(.shift) ? -1 : 1, key)
    case .pageUp: return move(by: key) { ($0.selection ?? 0) - $0.visibleCount }
    case .pageDown: return move(by: key) { ($0.selection ?? 0) + $0.visibleCount }
    case .home: return move(by: key) { _ in 0 }
    case .end: return move(by: key) { $0.matchCount - 1 }
    case .left, .right, .insert, .delete: return .unchanged
    }
  }

  /// Selects a neighbour. The first choice follows the last one.
  private mutating func step(by distance: Int, _ key: Key) -> Outcome {
    move(by: key) { list in
      list.selection.map { ($0 + distance + list.matchCount) % list.matchCount }
    }
  }

  /// The part of a paste that can extend a query: its first line, without control characters.
  private static func queryText(of bytes: [UInt8]) -> String {
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    return String(decoding: line, as: UTF8.self)
      .filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
  }
}

extension String {
  /// The text without its last word and the spaces after it.
  fileprivate var droppingLastWord: String {
    let words = reversed().drop { $0 == " " }.drop { $0 != " " }
    return String(words.reversed())
  }
}
