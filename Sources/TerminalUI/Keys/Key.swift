/// A key as a terminal tells it, or a piece of what was pasted.
public enum Key: Hashable, Sendable {
  /// A character that was typed, one Unicode scalar: what belongs to it, a combining accent, comes
  /// as a key of its own.
  case character(Unicode.Scalar)
  /// ctrl and a key: a lower-case letter, or one of `@ [ \ ] ^ _`. Those that are keys of their own
  /// (ctrl-i, ctrl-m, ctrl-j, ctrl-h, ctrl-[) come as these.
  case control(Unicode.Scalar)
  /// alt and a character.
  case alt(Unicode.Scalar)
  /// A key with a name.
  case named(Name, Modifiers)
  /// Bytes from the clipboard, in pieces: whole characters where they are UTF-8, never none.
  case paste([UInt8])

  /// The keys that are called by a name.
  public enum Name: Hashable, Sendable {
    case enter, tab, backspace, escape, insert, delete
    case up, down, left, right, home, end, pageUp, pageDown
  }

  /// What is held down together with a named key.
  public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Creates a set from the bits that xterm counts modifiers by.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: 1)
    public static let alt = Modifiers(rawValue: 2)
    public static let control = Modifiers(rawValue: 4)
  }
}

extension Key {
  /// A named key with nothing else held down.
  public static func named(_ name: Name) -> Key { .named(name, []) }

  /// The tab key together with shift.
  public static let backTab = Key.named(.tab, .shift)
}
