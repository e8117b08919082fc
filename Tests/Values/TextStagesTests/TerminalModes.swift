/// The modes of a terminal that a device can leave changed.
struct TerminalModes: Equatable {
  var attributes = ""
  var isCursorShown = true
  var wraps = true
  var scrollRegion = ""
  private var saved: [String] = ["", "true"]

  /// Compares what a user sees. Saved modes are not visible.
  static func == (one: Self, other: Self) -> Bool {
    one.attributes == other.attributes && one.isCursorShown == other.isCursorShown
      && one.wraps == other.wraps && one.scrollRegion == other.scrollRegion
  }

  /// Interprets the sequences in text that a filter has passed.
  mutating func show(_ bytes: [UInt8]) {
    // Accents would combine with the last character of a sequence.
    let ascii = bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
    for sequence in String(decoding: ascii, as: UTF8.self).split(separator: "\u{1B}").map(
      String.init)
    {
      switch sequence.first {
      case "7": saved = [attributes, "\(wraps)"]
      case "8": (attributes, wraps) = (saved[0], saved[1] == "true")
      case "[": obey(sequence.dropFirst())
      default: break
      }
    }
  }

  private mutating func obey(_ sequence: Substring) {
    guard let end = sequence.firstIndex(where: { ("@"..."~").contains($0) }) else { return }
    let inner = sequence[..<end]
    let modes = inner.dropFirst().split(separator: ";").compactMap { Int($0) }
    switch sequence[end] {
    case "m": attributes = inner.allSatisfy { "0;:".contains($0) } ? "" : attributes + inner + ";"
    case "r": scrollRegion = String(inner)
    case "s": saved = [attributes, "\(wraps)"]
    case "u": (attributes, wraps) = (saved[0], saved[1] == "true")
    case "h", "l":
      if modes.contains(25) { isCursorShown = sequence[end] == "h" }
      if modes.contains(7) { wraps = sequence[end] == "h" }
    default: break
    }
  }
}
