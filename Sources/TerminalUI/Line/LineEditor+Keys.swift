extension LineEditor {
  /// Handles a key.
  ///
  /// A paste of several lines submits each complete line. The rest stays in the line.
  ///
  /// - Returns: the effects, in order.
  public mutating func handle(_ key: Key) -> [Event] {
    let wasKilling = isKilling
    if case .paste = key {} else { followsReturn = false }
    let events = obey(key) + takeDropped()
    noteSecret()
    if wasKilling && !key.kills { endKill() }
    return events
  }

  private mutating func obey(_ key: Key) -> [Event] {
    switch key {
    case .character(let scalar):
      replace(cursor..<cursor, with: String(scalar))
    case .paste(let bytes):
      return insertPasted(bytes)
    case .named(let name, let modifiers):
      return obey(name, modifiers)
    case .control("a"):
      move(to: 0)
    case .control("e"):
      move(to: characters.count)
    case .control("b"):
      move(to: cursor - 1)
    case .control("f"):
      move(to: cursor + 1)
    case .control("p"):
      recall(older: true)
    case .control("n"):
      recall(older: false)
    case .control("d"):
      if characters.isEmpty { return [.endOfInput] }
      delete(cursor..<min(cursor + 1, characters.count))
    case .control("k"):
      kill(cursor..<characters.count)
    case .control("u"):
      kill(0..<cursor)
    case .control("w"):
      kill(start(ofPieceBefore: cursor) { !$0.isWhitespace }..<cursor)
    case .control("y"):
      yank()
    case .alt("b"):
      move(to: start(ofPieceBefore: cursor, \.isWordPart))
    case .alt("f"):
      move(to: end(ofPieceAfter: cursor, \.isWordPart))
    case .alt("d"):
      kill(cursor..<end(ofPieceAfter: cursor, \.isWordPart))
    case .control, .alt:
      return [.unused(key)]
    }
    return []
  }

  private mutating func obey(_ name: Key.Name, _ modifiers: Key.Modifiers) -> [Event] {
    let isByWord = !modifiers.isDisjoint(with: [.control, .alt])
    switch name {
    case .enter:
      return [submit()]
    case .backspace where isByWord:
      kill(start(ofPieceBefore: cursor, \.isWordPart)..<cursor)
    case .backspace:
      delete(max(0, cursor - 1)..<cursor)
    case .delete:
      delete(cursor..<min(cursor + 1, characters.count))
    case .left:
      move(to: isByWord ? start(ofPieceBefore: cursor, \.isWordPart) : cursor - 1)
    case .right:
      move(to: isByWord ? end(ofPieceAfter: cursor, \.isWordPart) : cursor + 1)
    case .home:
      move(to: 0)
    case .end:
      move(to: characters.count)
    case .up:
      recall(older: true)
    case .down:
      recall(older: false)
    case .tab, .escape, .insert, .pageUp, .pageDown:
      return [.unused(.named(name, modifiers))]
    }
    return []
  }

  private mutating func delete(_ range: Range<Int>) { replace(range, with: "") }

  /// Inserts pasted text. CR, LF and CR LF end a line. Control characters other than tab are dropped.
  private mutating func insertPasted(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    var piece = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      let endsReturn = followsReturn && scalar == "\n"
      followsReturn = scalar == "\r"
      if endsReturn { continue }
      if scalar == "\r" || scalar == "\n" {
        replace(cursor..<cursor, with: String(piece))
        piece = String.UnicodeScalarView()
        events.append(submit())
      } else if scalar == "\t" || scalar.properties.generalCategory != .control {
        piece.append(scalar)
      }
    }
    replace(cursor..<cursor, with: String(piece))
    return events
  }

  /// The start of the part that is before or around a position.
  private func start(ofPieceBefore place: Int, _ isPart: (Character) -> Bool) -> Int {
    var place = place
    while place > 0, !isPart(characters[place - 1]) { place -= 1 }
    while place > 0, isPart(characters[place - 1]) { place -= 1 }
    return place
  }

  /// The end of the part that is after or around a position.
  private func end(ofPieceAfter place: Int, _ isPart: (Character) -> Bool) -> Int {
    var place = place
    while place < characters.count, !isPart(characters[place]) { place += 1 }
    while place < characters.count, isPart(characters[place]) { place += 1 }
    return place
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber }
}

extension Key {
  /// Whether the key deletes text that ctrl-y can insert again.
  fileprivate var kills: Bool {
    switch self {
    case .control("k"), .control("u"), .control("w"), .alt("d"): true
    case .named(.backspace, let modifiers): !modifiers.isDisjoint(with: [.control, .alt])
    case .character, .control, .alt, .named, .paste: false
    }
  }
}
