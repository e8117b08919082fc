/// The line that the user types, edited as in readline(3), before any of it is sent.
///
/// Positions count characters as a reader sees them: an accent belongs to its letter.
public struct LineEditor: Sendable {
  /// The effect of a key.
  public enum Event: Equatable, Sendable {
    /// A line is complete; it is in the history.
    case submit(String)
    /// A line is complete that is not to be kept: a secret, or one that begins with a space.
    case submitSecret(String)
    /// ctrl-d in an empty line.
    case endOfInput
    /// A key that the editor does not use, such as ctrl-c: the program may use it.
    case unused(Key)
    /// Text did not fit; `byteCount` of its bytes, as UTF-8, were dropped.
    case dropped(byteCount: Int)
  }

  /// The length limit of a line, in Unicode scalars. Each key takes time linear in the line.
  public static let capacity = 65_536
  /// The length limit of a character, in scalars: a letter with its accents, an emoji with its joined
  /// parts. No language needs 32 (Unicode Standard Annex #15, "Stream-Safe Text Format").
  public static let characterCapacity = 32

  /// The characters of the line.
  public private(set) var characters: [Character] = []
  /// The position where the next character is inserted.
  public private(set) var cursor = 0
  /// The lines that were submitted before.
  public private(set) var history: History
  /// Whether what is typed is a secret, such as a password. A line that was typed while this was set,
  /// all of it or a part, is not added to the history.
  public var takesSecret = false

  /// What ctrl-y inserts.
  private var killed = ""
  /// Whether the last key killed: the next kill is added to the same text.
  private(set) var isKilling = false
  /// The line of the history that is shown; nil for none.
  private var recalled: Int?
  /// The line that was being typed when the first line was recalled.
  private var unfinished: [Character] = []
  /// Whether a paste has ended a line with CR: LF after it belongs to the same line end.
  var followsReturn = false
  /// Whether a part of the line was typed as a secret.
  private var isSecret = false
  /// The number of scalars in the line.
  private var scalarCount = 0
  /// How many bytes did not fit since they were last reported.
  private var droppedCount = 0

  /// Creates an editor with an empty line.
  public init(history: History = History()) { self.history = history }

  /// Changes to another history; the line stays.
  public mutating func replaceHistory(_ other: History) {
    history = other
    recalled = nil
  }

  /// The text of the line.
  public var text: String { String(characters) }

  /// Replaces a part of the line, and puts the cursor after the new text.
  ///
  /// Characters are formed again where the texts meet: an accent joins the letter before it, and two
  /// characters may become one when the text between them goes.
  mutating func replace(_ range: Range<Int>, with text: some StringProtocol) {
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
    // Characters that were cut off may have stood before the cursor.
    cursor = min(cursor, characters.count)
  }

  /// The part of the line whose characters may change when a range is replaced: one character on
  /// either side, and more where flags stand in a row, since each is a pair of letters, or where a
  /// joiner had nothing to join.
  private func joint(around range: Range<Int>) -> Range<Int> {
    let start = max(0, range.lowerBound - 1)
    var end = min(range.upperBound + 1, characters.count)
    while end < characters.count, characters[end].isFlagLetter || characters[end - 1].isJoining {
      end += 1
    }
    return start..<end
  }

  /// The characters of a text, none longer than ``characterCapacity``: the rest of it is dropped.
  private mutating func formed(_ text: String) -> [Character] {
    var characters = Array(text)
    // What is cut off may have kept characters apart: they are formed again.
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

  /// Deletes a part of the line; ctrl-y inserts it again.
  mutating func kill(_ range: Range<Int>) {
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

  /// Says that the key that comes next does not go on with a kill.
  mutating func endKill() { isKilling = false }

  mutating func yank() { replace(cursor..<cursor, with: killed) }

  /// Ends the line and begins another.
  mutating func submit() -> Event {
    let line = text
    // Text that was killed in a secret line is a part of the secret.
    if isSecret || takesSecret { killed = "" }
    let isKept = !isSecret && !takesSecret && !line.hasPrefix(" ")
    if isKept { history.append(line) }
    clear()
    return isKept ? .submit(line) : .submitSecret(line)
  }

  /// Notes whether the line contains a secret now.
  mutating func noteSecret() {
    if takesSecret && !characters.isEmpty { isSecret = true }
  }

  /// Reports what was dropped since the last report.
  mutating func takeDropped() -> [Event] {
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

  /// Shows an older line of the history, or a newer one; after the newest, the unfinished line.
  mutating func recall(older: Bool) {
    let lines = history.lines
    let place = (recalled ?? lines.count) + (older ? -1 : 1)
    guard (0...lines.count).contains(place) else { return }
    if recalled == nil { unfinished = characters }
    recalled = place == lines.count ? nil : place
    // A file may have been written by another program, with lines of any length.
    let line = recalled.map { lines[$0] } ?? String(unfinished)
    (characters, cursor, scalarCount) = ([], 0, 0)
    replace(0..<0, with: line)
  }
}

extension Sequence<Character> {
  fileprivate var scalarCount: Int { reduce(0) { $0 + $1.unicodeScalars.count } }
}

extension Character {
  /// Whether it begins with a regional indicator, of which two make a flag.
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
