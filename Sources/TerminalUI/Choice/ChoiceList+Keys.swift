extension ChoiceList {
  /// Does what a key stands for.
  ///
  /// Characters filter; backspace takes the last one back, ctrl-w the last word, ctrl-u all. The
  /// arrows, ctrl-p and ctrl-n, tab and shift-tab select, round the ends; page up and down, home and
  /// end select without. Enter chooses; escape, ctrl-c and ctrl-g cancel.
  public mutating func handle(_ key: Key) -> Outcome {
    let hadRefusal = refused != nil
    forgetRefusal()
    let outcome = obey(key)
    return outcome == .unchanged && hadRefusal ? .changed : outcome
  }

  private mutating func obey(_ key: Key) -> Outcome {
    switch key {
    case .character(let scalar):
      return search(query + String(scalar))
    case .paste(let bytes):
      return search(query + Self.queryText(of: bytes))
    case .named(let name, let modifiers):
      return obey(name, modifiers)
    case .control("p"):
      return step(by: -1)
    case .control("n"):
      return step(by: 1)
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
    switch name {
    case .enter: choose()
    case .escape: .cancelled
    case .backspace: search(String(query.dropLast()))
    case .up: step(by: -1)
    case .down: step(by: 1)
    case .tab: step(by: modifiers.contains(.shift) ? -1 : 1)
    case .pageUp: move(to: (selection ?? 0) - visibleCount)
    case .pageDown: move(to: (selection ?? 0) + visibleCount)
    case .home: move(to: 0)
    case .end: move(to: matchCount - 1)
    case .left, .right, .insert, .delete: .unchanged
    }
  }

  /// Selects a neighbour; the first and the last one are neighbours too.
  private mutating func step(by distance: Int) -> Outcome {
    guard let selection else { return .unchanged }
    return move(to: (selection + distance + matchCount) % matchCount)
  }

  private mutating func move(to place: Int) -> Outcome {
    let before = selection
    select(place)
    return selection == before ? .unchanged : .changed
  }

  /// What of a paste can be part of a query: its first line, without control characters.
  private static func queryText(of bytes: [UInt8]) -> String {
    let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    return String(decoding: line, as: UTF8.self)
      .filter { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
  }
}

extension String {
  /// The text without its last word, and the spaces after that.
  fileprivate var droppingLastWord: String {
    let words = reversed().drop { $0 == " " }.drop { $0 != " " }
    return String(words.reversed())
  }
}
