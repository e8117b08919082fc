/// The line that is being typed, edited as readline does it, before any of it is sent.
///
/// Places are counted in characters as a reader counts them: an accent belongs to its letter.
public struct LineEditor: Sendable {
  /// What a key has led to.
  public enum Event: Equatable, Sendable {
    /// A line is complete; it is in the history already.
    case submit(String)
    /// ctrl-d in an empty line.
    case endOfInput
    /// A key that means nothing here, ctrl-c for one: the program may have a use for it.
    case unused(Key)
  }

  /// How many characters a line holds; what is more is not taken.
  public static let capacity = 65_536

  /// The characters of the line.
  public private(set) var characters: [Character] = []
  /// The place in front of which the next character goes.
  public private(set) var cursor = 0
  /// The lines that were submitted before.
  public private(set) var history: History

  /// What ctrl-y brings back.
  private var killed = ""
  /// Whether the last key killed: what the next one kills is put together with it.
  private(set) var isKilling = false
  /// The line of the history that is shown, if one is.
  private var recalled: Int?
  /// The line that was not finished when the history was looked up.
  private var unfinished: [Character] = []
  /// Whether a paste has ended a line with CR, so that LF after it is the same end.
  var followsReturn = false

  /// Creates an editor with an empty line.
  public init(history: History = History()) { self.history = history }

  /// Goes over to other lines that were submitted before; the line itself stays.
  public mutating func replaceHistory(_ other: History) {
    history = other
    recalled = nil
  }

  /// The text of the line.
  public var text: String { String(characters) }

  /// Puts text in place of a part of the line, and the cursor after it.
  ///
  /// What belongs together is found anew: an accent joins the letter before it, and two letters may
  /// become one when what was between them goes.
  mutating func replace(_ range: Range<Int>, with text: some StringProtocol) {
    let room = max(0, Self.capacity - characters.count + range.count)
    let inserted = text.prefix(room)
    if range.isEmpty && inserted.isEmpty { return }
    if standsAlone(inserted, inPlaceOf: range) {
      characters.replaceSubrange(range, with: inserted)
      cursor = range.lowerBound + inserted.count
      return
    }
    let before = String(characters[..<range.lowerBound]) + inserted
    characters = Array(before + String(characters[range.upperBound...]))
    cursor = before.count
  }

  /// Whether text is ASCII and comes to stand between ASCII: nothing joins there, and a long line need
  /// not be taken apart for every key.
  private func standsAlone(_ text: some StringProtocol, inPlaceOf range: Range<Int>) -> Bool {
    characters[..<range.lowerBound].last?.isPlain ?? true
      && characters[range.upperBound...].first?.isPlain ?? true && text.allSatisfy(\.isPlain)
  }

  mutating func move(to place: Int) { cursor = min(max(0, place), characters.count) }

  /// Deletes a part of the line, to be brought back.
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
    history.append(line)
    clear()
    return .submit(line)
  }

  /// Forgets the line, as after ctrl-c.
  public mutating func clear() {
    characters = []
    cursor = 0
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
    characters = recalled.map { Array(lines[$0]) } ?? unfinished
    cursor = characters.count
  }
}

extension Character {
  /// Whether it is a printable character of ASCII.
  fileprivate var isPlain: Bool { asciiValue.map { (0x20..<0x7F).contains($0) } ?? false }
}
