/// A key in the forms that a device may switch on at the terminal: `ESC [ 27 ; M ; N ~` of xterm
/// (modifyOtherKeys), and `ESC [ N ; M u` of xterm (formatOtherKeys) and of kitty's keyboard
/// protocol.
///
/// N is the Unicode code point of the key, M the modifiers. kitty adds to them, after colons: the
/// key with shift, the key of a keyboard with Latin letters, and the kind of the event; and,
/// after another semicolon, the text.
public struct ExtendedKey: Hashable, Sendable {
  /// The key without modifiers; from xterm, with shift.
  private let scalar: Unicode.Scalar
  private let shifted: Unicode.Scalar?
  /// The key at the same place of a keyboard with Latin letters.
  private let latin: Unicode.Scalar?
  private let text: String
  private let modifiers: Modifiers
  private let isRelease: Bool

  /// The modifiers of xterm and kitty.
  private struct Modifiers: OptionSet, Hashable {
    let rawValue: Int

    static let shift = Modifiers(rawValue: 1)
    static let alt = Modifiers(rawValue: 2)
    static let control = Modifiers(rawValue: 4)
    static let `super` = Modifiers(rawValue: 8)
    static let hyper = Modifiers(rawValue: 16)
    static let meta = Modifiers(rawValue: 32)
    static let capsLock = Modifiers(rawValue: 64)
  }

  /// What the beginning of some bytes is.
  public enum Match: Hashable, Sendable {
    /// A key, and the number of its bytes.
    case key(ExtendedKey, count: Int)
    /// All bytes are the beginning of what may be a key.
    case incomplete
    case none
  }

  /// The maximum number of bytes of a key.
  static let longest = 64

  /// Looks for a key at the beginning of some bytes.
  public static func match(_ bytes: some Collection<UInt8>) -> Match {
    let introducer = "\u{1B}[".utf8
    guard bytes.starts(with: introducer) else {
      return bytes.elementsEqual(introducer.prefix(1)) ? .incomplete : .none
    }
    let rest = bytes.dropFirst(2).prefix(longest)
    guard let end = rest.firstIndex(where: { !(0x30..<0x3C).contains($0) }) else {
      return rest.count < longest ? .incomplete : .none
    }
    let parameters = rest[..<end]
    guard let key = ExtendedKey(parameters, final: rest[end]) else { return .none }
    return .key(key, count: 2 + parameters.count + 1)
  }

  /// - Parameter parameters: digits, semicolons and colons.
  private init?(_ parameters: some Collection<UInt8>, final: UInt8) {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { parameter in
        parameter.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
          .map { Int(String(decoding: $0, as: UTF8.self)) }
      }
    let (keys, other, text): ([Int?], [Int?], [Int?])
    switch (final, numbers.count) {
    case (UInt8(ascii: "u"), 1...3):
      (keys, other) = (numbers[0], numbers.dropFirst().first ?? [])
      text = numbers.count == 3 ? numbers[2] : []
    case (UInt8(ascii: "~"), 3) where numbers[0] == [27]:
      (keys, other, text) = (numbers[2], numbers[1], [])
    default: return nil
    }
    guard let scalar = Self.scalar(keys, at: 0) else { return nil }
    self.scalar = scalar
    shifted = Self.scalar(keys, at: 1)
    latin = Self.scalar(keys, at: 2)
    self.text = String(
      String.UnicodeScalarView(text.indices.compactMap { Self.scalar(text, at: $0) }))
    modifiers = Modifiers(rawValue: max(1, min(256, (other.first ?? nil) ?? 1)) - 1)
    isRelease = other.count > 1 && other[1] == 3
  }

  private static func scalar(_ numbers: [Int?], at index: Int) -> Unicode.Scalar? {
    guard index < numbers.count, let number = numbers[index] else { return nil }
    return UInt32(exactly: number).flatMap(Unicode.Scalar.init)
  }

  // MARK: Other forms

  /// The bytes that a terminal sends for the key when nothing is switched on; empty if it sends
  /// none: a key is released, or it is a modifier.
  public var bytes: [UInt8] {
    guard !isRelease, modifiers.isDisjoint(with: [.super, .hyper]) else { return [] }
    let bytes = bytesWithoutAlt
    return bytes.isEmpty || modifiers.isDisjoint(with: [.alt, .meta]) ? bytes : [0x1B] + bytes
  }

  private var bytesWithoutAlt: [UInt8] {
    switch scalar.value {
    case 0x09 where modifiers.contains(.shift): return Array("\u{1B}[Z".utf8)
    case 0x7F where modifiers.contains(.control): return [0x08]
    case 0x00..<0x20 where text.isEmpty, 0x7F: return [UInt8(scalar.value)]
    case 0xE000..<0xF900:
      // The private area of Unicode has kitty's functional keys.
      return Self.keypad(scalar.value).map { [$0] } ?? []
    default: break
    }
    if modifiers.contains(.control), let byte = controlByte { return [byte] }
    return Array(text.isEmpty ? String(typed).utf8 : text.utf8)
  }

  /// The command of the key, if it can be one: the byte that it sends, or that of the same place
  /// on a keyboard with Latin letters.
  public var commandByte: UInt8? {
    let bytes = bytes
    if bytes.count == 1 { return bytes[0] }
    guard !bytes.isEmpty, modifiers.isDisjoint(with: [.alt, .meta]), let latin, latin.isASCII
    else { return nil }
    return UInt8(ascii: withCase(latin))
  }

  private var typed: Unicode.Scalar {
    modifiers.contains(.shift) ? shifted ?? withCase(scalar) : withCase(scalar)
  }

  /// A letter in the case that shift and the lock give it.
  private func withCase(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let isUpper = modifiers.contains(.shift) != modifiers.contains(.capsLock)
    guard isUpper, scalar.isASCII else { return scalar }
    return Character(scalar).uppercased().unicodeScalars.first ?? scalar
  }

  /// The control character of the key with ctrl; nil if it has none.
  private var controlByte: UInt8? {
    let own = modifiers.contains(.shift) ? shifted ?? scalar : scalar
    let key = own.isASCII ? own : latin ?? own
    switch key {
    case "@"..."_", "a"..."z": return UInt8(key.value & 0x1F)
    case " ", "2": return 0x00
    case "3"..."7": return UInt8(key.value - 0x33 + 0x1B)
    case "/": return 0x1F
    case "8", "?": return 0x7F
    default: return nil
    }
  }

  /// The byte of a key of the keypad, in kitty's numbers; nil if it has none.
  private static func keypad(_ number: UInt32) -> UInt8? {
    let keys = Array("0123456789./*-+\r=".utf8)
    let index = Int(number) - 57_399
    return keys.indices.contains(index) ? keys[index] : nil
  }
}
