import TextTools

/// The line that the user types before it is sent, edited as in readline(3).
///
/// Positions count characters as a reader sees them: an accent belongs to its letter.
public struct LineEditor: Sendable {
  /// The effect of a key.
  public enum Event: Equatable, Sendable {
    /// A line is complete. It was added to the history.
    case submit(String)
    /// A line is complete and must not be kept, because it is a secret, or begins with a space.
    case submitSecret(String)
    /// The line is wrong for the form, with the mistake in words. It stays, with the cursor at
    /// the mistake.
    case refused(String)
    /// ctrl-d in an empty line.
    case endOfInput
    /// A key that the editor does not use, such as ctrl-c, and that the program can use.
    case unused(Key)
    /// Text did not fit. This number of bytes of its UTF-8 form was dropped.
    case dropped(byteCount: Int)
  }

  /// What a line contains.
  public enum Form: Hashable, Sendable {
    case text
    /// Bytes as hexadecimal numbers.
    case hex
  }

  /// The maximum length of a line in Unicode scalars. Each key takes time linear in the line.
  public static let capacity = 65_536
  /// The maximum length of a character in scalars: a letter with its accents, or an emoji with its
  /// joined parts. No language needs 32 (Unicode Standard Annex #15, "Stream-Safe Text Format").
  public static let characterCapacity = 32

  /// The characters of the line.
  public private(set) var characters: [Character] = []
  /// The position where the next character is inserted.
  public private(set) var cursor = 0
  /// The lines that were submitted earlier.
  public private(set) var history: History
  /// What the lines contain. A line of another form stays in the editor.
  public var form = Form.text
  /// Whether typed text is a secret, such as a password. A line that was typed partly or completely
  /// while this was set is not added to the history.
  public var takesSecret = false

  /// The text that ctrl-y inserts.
  private var killed = ""
  /// Whether the last key killed text. If so, the next kill is added to that text.
  private var isKilling = false
  /// The index of the shown line of the history; nil for none.
  private var recalled: Int?
  /// The line that was being typed when the first line was recalled.
  private var unfinished: [Character] = []
  /// Whether a paste has ended a line with CR. An LF after it belongs to the same line end.
  private var followsReturn = false
  /// Whether a part of the line was typed as a secret.
  private var isSecret = false
  /// The number of scalars in the line.
  private var scalarCount = 0
  /// The number of bytes that did not fit since the last report.
  private var droppedCount = 0

  /// Creates an editor with an empty line.
  public init(history: History = History()) { self.history = history }

  /// Changes to another history. The line stays.
  public mutating func replaceHistory(_ other: History) {
    history = other
    recalled = nil
  }

  /// The text of the line.
  public var text: String { String(characters) }

  /// Replaces a part of the line, and moves the cursor after the new text.
  ///
  /// Characters are formed again where the texts meet: an accent joins the letter before it, and
  /// two characters may become one when the text between them is removed.
  private mutating func replace(_ range: Range<Int>, with text: some StringProtocol) {
    let removedCount = characters[range].scalarCount
    let room = max(0, Self.capacity - scalarCount + removedCount)
    let inserted = String(String.UnicodeScalarView(text.unicodeScalars.prefix(room)))
    droppedCount += text.utf8.count - inserted.utf8.count
    if range.isEmpty && inserted.isEmpty { return }
    scalarCount += inserted.unicodeScalars.count - removedCount
    let joint = joint(around: range)
    let before = String(characters[joint.lowerBound..<range.lowerBound]) + inserted
    let formed = formed(before + String(characters[range.upperBound..<joint.upperBound]))
    cursor = joint.lowerBound + before.count
    characters.replaceSubrange(joint, with: formed)
    // Characters before the cursor may have been cut off.
    cursor = min(cursor, characters.count)
  }

  /// The part of the line whose characters may change when a range is replaced. It includes one
  /// character on either side, and more where there are several flags in a row, because each is a
  /// pair of letters, or a joiner without a partner.
  private func joint(around range: Range<Int>) -> Range<Int> {
    let start = max(0, range.lowerBound - 1)
    var end = min(range.upperBound + 1, characters.count)
    while end < characters.count, characters[end].isFlagLetter || characters[end - 1].isJoining {
      end += 1
    }
    return start..<end
  }

  /// The characters of a text. Scalars of a character above ``characterCapacity`` are dropped.
  private mutating func formed(_ text: String) -> [Character] {
    var characters = Array(text)
    // Dropped scalars may have separated characters, so the characters are formed again.
    while characters.contains(where: { $0.unicodeScalars.count > Self.characterCapacity }) {
      let kept = String(characters.map(\.cutOff).joined())
      let old = characters.scalarCount
      droppedCount += characters.reduce(0) { $0 + $1.utf8.count } - kept.utf8.count
      characters = Array(kept)
      scalarCount -= old - characters.scalarCount
    }
    return characters
  }

  mutating func move(to place: Int) { cursor = min(max(0, place), characters.count) }

  /// Deletes a part of the line. ctrl-y inserts it again.
  private mutating func kill(_ range: Range<Int>) {
    let text = String(characters[range])
    if !isKilling {
      killed = text
    } else if range.upperBound == cursor {
      killed = text + killed
    } else {
      killed += text
    }
    replace(range, with: "")
    isKilling = true
  }

  /// Ends a kill, so that the next killed text replaces the present one.
  private mutating func endKill() { isKilling = false }

  private mutating func yank() { replace(cursor..<cursor, with: killed) }

  /// Ends the line and begins a new one.
  private mutating func submit() -> Event {
    let line = text
    if form == .hex {
      do throws(HexTextError) {
        _ = try HexText.parse(line)
      } catch {
        // The digit that is missing comes after the other one.
        move(to: column(ofScalar: error.mistake == .halfAByte ? error.column : error.column - 1))
        return .refused("\(error)")
      }
    }
    // Text that was killed in a secret line is part of the secret.
    if isSecret || takesSecret { killed = "" }
    let isKept = !isSecret && !takesSecret && !line.hasPrefix(" ")
    if isKept { history.append(line) }
    clear()
    return isKept ? .submit(line) : .submitSecret(line)
  }

  /// The index of the character with a Unicode scalar, counted from 0.
  private func column(ofScalar index: Int) -> Int {
    var rest = index
    return characters.firstIndex {
      rest -= $0.unicodeScalars.count
      return rest < 0
    } ?? characters.count
  }

  /// Records whether the line now contains a secret.
  private mutating func noteSecret() {
    if takesSecret && !characters.isEmpty { isSecret = true }
  }

  /// Reports the bytes that were dropped since the last report.
  private mutating func takeDropped() -> [Event] {
    defer { droppedCount = 0 }
    return droppedCount == 0 ? [] : [.dropped(byteCount: droppedCount)]
  }

  /// Empties the line, as after ctrl-c.
  public mutating func clear() {
    characters = []
    cursor = 0
    scalarCount = 0
    isSecret = false
    recalled = nil
    unfinished = []
  }

  /// Shows an older or newer line of the history. After the newest one follows the unfinished line.
  private mutating func recall(older: Bool) {
    let lines = history.lines
    let place = (recalled ?? lines.count) + (older ? -1 : 1)
    guard (0...lines.count).contains(place) else { return }
    if recalled == nil { unfinished = characters }
    recalled = place == lines.count ? nil : place
    // The file may come from another program, with lines of any length.
    let line = recalled.map { lines[$0] } ?? String(unfinished)
    (characters, cursor, scalarCount) = ([], 0, 0)
    replace(0..<0, with: line)
  }
}

extension Sequence<Character> {
  fileprivate var scalarCount: Int { reduce(0) { $0 + $1.unicodeScalars.count } }
}

extension Character {
  /// Whether it begins with a regional indicator. Two of these make a flag.
  fileprivate var isFlagLetter: Bool {
    unicodeScalars.first.map { (0x1F1E6...0x1F1FF).contains($0.value) } ?? false
  }

  /// Whether it ends with a scalar that may join the next character: the zero-width joiner, or the
  /// virama of an Indic script.
  fileprivate var isJoining: Bool {
    guard let last = unicodeScalars.last, last.value >= 0x300 else { return false }
    return last == "\u{200D}" || last.properties.canonicalCombiningClass == .virama
  }

  /// Its scalars up to the limit.
  fileprivate var cutOff: String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(LineEditor.characterCapacity)))
  }
}

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

  /// Inserts pasted text. CR, LF and CR LF end a line. Control characters other than
  /// tab are dropped. After a line that is refused, the rest is dropped.
  private mutating func insertPasted(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    var piece = String.UnicodeScalarView()
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    for (index, scalar) in zip(scalars.indices, scalars) {
      let endsReturn = followsReturn && scalar == "\n"
      followsReturn = scalar == "\r"
      if endsReturn { continue }
      if scalar == "\r" || scalar == "\n" {
        replace(cursor..<cursor, with: String(piece))
        piece = String.UnicodeScalarView()
        events.append(submit())
        if case .refused? = events.last {
          let rest = scalars[scalars.index(after: index)...].reduce(0) { $0 + UTF8.width($1) }
          return rest == 0 ? events : events + [.dropped(byteCount: rest)]
        }
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
