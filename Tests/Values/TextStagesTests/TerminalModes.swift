@testable import TextStages

/// The modes of a terminal that a device can leave changed.
struct TerminalModes: Equatable {
  var attributes = ""
  var scrollRegion = ""
  /// The private modes that are not as at first; those of ECMA-48 below 0.
  var switched: Set<Int> = []
  var isKeypadSwitched = false
  var alternateScreen = false
  /// The columns of the tab stops that were set since all were cleared, 0 for an unknown one; nil
  /// for a stop in every eighth column of eighty.
  var tabs: [Int]? {
    didSet { if tabs == Array(stride(from: 9, through: 80, by: 8)) { tabs = nil } }
  }
  private var column = 0
  private var saved = Saved()

  private struct Saved {
    var attributes = ""
    var switched: Set<Int> = []
  }

  /// The modes that are saved with the cursor: origin mode, automatic wrap.
  private static let savedModes: Set<Int> = [6, 7]

  /// Compares what a user sees. Saved modes are not visible.
  static func == (one: Self, other: Self) -> Bool {
    rendition(one.attributes) == rendition(other.attributes)
      && one.scrollRegion == other.scrollRegion
      && one.switched == other.switched && one.isKeypadSwitched == other.isKeypadSwitched
      && one.alternateScreen == other.alternateScreen && one.tabs == other.tabs
  }

  private static func rendition(_ parameters: String) -> Rendition {
    var rendition = Rendition()
    rendition.apply(sequencesIn: Array("\u{1B}[0;\(parameters)m".utf8))
    return rendition
  }

  /// Interprets the sequences in text that a filter has passed.
  mutating func show(_ bytes: [UInt8]) {
    // Accents would combine with the last character of a sequence.
    let ascii = bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
    let parts = String(decoding: ascii, as: UTF8.self).split(
      separator: "\u{1B}", omittingEmptySubsequences: false)
    for sequence in parts.dropFirst() {
      switch sequence.first {
      case "7": save()
      case "8": restore()
      case "=": isKeypadSwitched = true
      case ">": isKeypadSwitched = false
      case "H": tabs = (tabs ?? []) + [column]
      case "[": obey(sequence.dropFirst())
      default: break
      }
    }
  }

  /// Takes over what cannot be set without moving the cursor.
  mutating func keepOriginAndTabs(of other: Self) {
    tabs = other.tabs
    if other.switched.contains(6) { switched.insert(6) } else { switched.remove(6) }
  }

  private mutating func save() {
    saved = Saved(
      attributes: attributes, switched: switched.intersection(Self.savedModes))
  }

  private mutating func restore() {
    attributes = saved.attributes
    switched = switched.subtracting(Self.savedModes).union(saved.switched)
  }

  private mutating func obey(_ sequence: Substring) {
    guard let end = sequence.firstIndex(where: { ("@"..."~").contains($0) }) else { return }
    let inner = sequence[..<end]
    let final = sequence[end]
    switch final {
    case "m": attributes = inner.allSatisfy { "0;:".contains($0) } ? "" : attributes + inner + ";"
    case "r": scrollRegion = String(inner)
    case "s": save()
    case "u": restore()
    case "g": tabs = inner == "3" ? [] : (tabs ?? []) + [0]
    case "G": column = Int(inner) ?? 0
    case "h", "l":
      let isPrivate = inner.hasPrefix("?")
      for number in inner.drop(while: { $0 == "?" }).split(separator: ";").compactMap({ Int($0) }) {
        set(isPrivate ? number : -number, final == "h")
      }
    default: break
    }
  }

  private mutating func set(_ mode: Int, _ isOn: Bool) {
    switch mode {
    case 47, 1047: alternateScreen = isOn
    case 1048: if isOn { save() } else { restore() }
    case 1049:
      if isOn { save() }
      alternateScreen = isOn
      if !isOn { restore() }
    default:
      if isOn != (mode == 7 || mode == 25) {
        switched.insert(mode)
      } else {
        switched.remove(mode)
      }
    }
  }
}
