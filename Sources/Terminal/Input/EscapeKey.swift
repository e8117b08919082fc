/// The key that starts a command at the start of a line, as in ssh(1) and cu(1): a printable ASCII
/// character, or none.
package enum EscapeKey: Hashable {
  /// A printable character, 0x21 to 0x7E.
  case character(UInt8)
  /// No key is special at the start of a line.
  case none

  /// The byte that the key sends.
  package var byte: UInt8? {
    switch self {
    case .character(let byte): byte
    case .none: nil
    }
  }
}

extension EscapeKey {
  /// Parses `~`, another printable character, or `none`. The keys that may follow it, `.` and
  /// `?`, are refused.
  package init?(parsing text: String) {
    if text == "none" {
      self = .none
      return
    }
    guard text.utf8.count == 1, let byte = text.utf8.first, (0x21...0x7E).contains(byte),
      byte != EscapeParser.quitKey, byte != EscapeParser.helpKey
    else { return nil }
    self = .character(byte)
  }
}

extension EscapeKey: CustomStringConvertible {
  package var description: String {
    switch self {
    case .character(let byte): "\(Character(Unicode.Scalar(byte)))"
    case .none: "none"
    }
  }
}
