import TerminalWidgets
import TestSupport

/// A generator that makes the same choices for the same seed on every platform.
struct Chance: RandomNumberGenerator {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A random key: usually a character, of any width and kind of joining.
  mutating func key() -> Key {
    switch number(0...9) {
    case 0: .named(pick(Self.names), Key.Modifiers(rawValue: UInt8(number(0...7))))
    case 1: .control(pick(Self.controls))
    case 2: .alt(pick(["b", "f", "d", "x", "["]))
    case 3: .paste((0..<number(1...12)).map { _ in pick(Self.pasted) })
    default: .character(pick(Self.scalars))
    }
  }

  private mutating func pick<Element>(_ all: [Element]) -> Element {
    all[number(0...all.count - 1)]
  }

  private static let names: [Key.Name] = [
    .tab, .backspace, .insert, .delete, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown,
    .enter, .escape,
  ]
  private static let controls: [Unicode.Scalar] = [
    "a", "b", "c", "d", "e", "f", "g", "k", "n", "p", "u", "w", "y", "\\",
  ]
  private static let pasted = Array("ab \t\r\n\u{1B}é世\u{301}".utf8) + [0xFF, 0xC3, 0x80]
  /// Scalars that change their neighbours: a combining accent, halves of flags, Korean
  /// parts, a joiner.
  private static let scalars: [Unicode.Scalar] = [
    "a", "b", "e", "B", " ", "1", "-", "世", "\u{301}", "\u{1F1E9}", "\u{1F1EA}", "\u{1100}",
    "\u{1161}", "\u{200D}", "\u{1F468}", "\u{FE0F}", "\u{202E}", "\u{7}",
  ]
}
