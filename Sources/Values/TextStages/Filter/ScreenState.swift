import TextTools

/// The changes that passed sequences have made to the state of the user's terminal.
struct ScreenState {
  private var changes: Changes = []
  private var rendition = Rendition()
  /// The parameters of the scroll region.
  private var region: [UInt8] = []
  private var wraps = true
  private var savedRendition = Rendition()
  private var savedWraps = true
  /// The state that restoring the cursor brings back. Until the device has saved a cursor, it is
  /// unknown, because the terminal's saved cursor is older than the session.
  private var saved: Changes = .attributes

  private struct Changes: OptionSet {
    let rawValue: UInt8
    /// Colours and styles.
    static let attributes = Changes(rawValue: 1)
    static let hiddenCursor = Changes(rawValue: 2)
    static let noAutowrap = Changes(rawValue: 4)
    static let scrollRegion = Changes(rawValue: 8)
  }

  /// Records a control sequence that passes.
  mutating func note(_ sequence: ControlSequence) {
    switch sequence.final {
    case "m":
      rendition.apply(sequence.parameters)
      set(.attributes, !sequence.parameters.allSatisfy { $0.number == 0 })
    case "r":
      region = Array(sequence.parameters.bytes)
      set(.scrollRegion, !sequence.parameters.isEmpty)
    case "s": saveCursor()
    case "u": restoreCursor()
    case "h", "l":
      if sequence.concerns(mode: 25) { set(.hiddenCursor, sequence.final == "l") }
      if sequence.concerns(mode: 7) {
        wraps = sequence.final == "h"
        set(.noAutowrap, !wraps)
      }
    default: break
    }
  }

  /// Saves the state. Terminals save the attributes with the cursor, many also the
  /// automatic wrap (DECSC).
  mutating func saveCursor() {
    saved = changes.intersection([.attributes, .noAutowrap])
    (savedRendition, savedWraps) = (rendition, wraps)
  }

  /// Restores the state. It is not certain that a terminal restores everything that was saved, so a
  /// change counts if it exists now or existed when the cursor was saved.
  mutating func restoreCursor() {
    changes.formUnion(saved)
    (rendition, wraps) = (savedRendition, savedWraps)
  }

  private mutating func set(_ change: Changes, _ isChanged: Bool) {
    if isChanged { changes.insert(change) } else { changes.remove(change) }
  }

  /// The sequences that bring a terminal from any state into this state.
  var screenState: [UInt8] {
    var bytes: [UInt8] = []
    // DECSTBM moves the cursor to the upper left corner, so the cursor is saved and restored.
    bytes.append("\u{1B}7\u{1B}[")
    bytes += region
    bytes.append("r\u{1B}8")
    bytes.append(wraps ? "\u{1B}[?7h" : "\u{1B}[?7l")
    bytes.append(isCursorHidden ? "\u{1B}[?25l" : "\u{1B}[?25h")
    bytes.append("\u{1B}[0m")
    return bytes + rendition.sequences
  }

  var isCursorHidden: Bool { changes.contains(.hiddenCursor) }

  /// The sequences that undo all changes; empty if there are none.
  var restoration: [UInt8] {
    var bytes: [UInt8] = []
    if changes.contains(.attributes) { bytes.append("\u{1B}[0m") }
    // DECSTBM moves the cursor to the upper left corner, so the cursor is saved and restored.
    if changes.contains(.scrollRegion) { bytes.append("\u{1B}7\u{1B}[r\u{1B}8") }
    if changes.contains(.noAutowrap) { bytes.append("\u{1B}[?7h") }
    if changes.contains(.hiddenCursor) { bytes.append("\u{1B}[?25h") }
    return bytes
  }
}
