/// A key, as a terminal sends it, or a piece of pasted text.
public enum Key: Hashable, Sendable {
  /// A typed character, one Unicode scalar: a combining accent is a key by itself.
  case character(Unicode.Scalar)
  /// A key with ctrl: a lower-case letter, or one of `@ [ \ ] ^ _`. Combinations that equal a named
  /// key (ctrl-i, ctrl-m, ctrl-j, ctrl-h, ctrl-[) are that key.
  case control(Unicode.Scalar)
  /// A character with alt.
  case alt(Unicode.Scalar)
  /// A key with a name.
  case named(Name, Modifiers)
  /// A piece of pasted text, at least one byte. UTF-8 characters are not split.
  case paste([UInt8])

  /// The keys with a name.
  public enum Name: Hashable, Sendable {
    case enter, tab, backspace, escape, insert, delete
    case up, down, left, right, home, end, pageUp, pageDown
  }

  /// The modifier keys held down with a named key.
  public struct Modifiers: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    /// Creates a set from xterm's modifier bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let shift = Modifiers(rawValue: 1)
    public static let alt = Modifiers(rawValue: 2)
    public static let control = Modifiers(rawValue: 4)
  }
}

extension Key {
  /// A named key without modifiers.
  public static func named(_ name: Name) -> Key { .named(name, []) }

  /// The tab key together with shift.
  public static let backTab = Key.named(.tab, .shift)
}
