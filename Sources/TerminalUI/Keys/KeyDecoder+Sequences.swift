/// The sequences of xterm (ctlseqs, "PC-Style Function Keys"), and different ones of rxvt and the Linux console.
extension KeyDecoder {
  /// Handles a byte of a control sequence: ESC `[`, parameters, final byte.
  mutating func takeControl(_ byte: UInt8, after parameters: [UInt8], _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "[") where parameters.isEmpty:
      // F1 to F5 of the Linux console: one more byte follows.
      state = .skipping(1)
    case UInt8(ascii: "M") where parameters.isEmpty:
      // X10 mouse report: a button and two coordinates.
      state = .skipping(3)
    case 0x20..<0x40:
      state = .control(parameters.count < Self.parameterLimit ? parameters + [byte] : parameters)
    case 0x40..<0x7F:
      state = .ground
      finish(byte, parameters, &keys)
    default:
      // Not part of a sequence, but the beginning of a character.
      state = .ground
      takeText(byte, &keys)
    }
  }

  /// Handles a byte after ESC `O`. Some terminals send digits between them.
  mutating func takeSingle(_ byte: UInt8, after parameters: [UInt8], _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"):
      state = .single(parameters.count < Self.parameterLimit ? parameters + [byte] : parameters)
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      // rxvt with ctrl.
      state = .ground
      if let name = Key.Name(final: byte - 0x20) { keys.append(.named(name, .control)) }
    case UInt8(ascii: "M"):
      state = .ground
      keys.append(.named(.enter))
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      // The keypad in application mode, which the device may have switched on: `*` to `9`.
      state = .ground
      keys.append(.character(Unicode.Scalar(byte - 0x40)))
    case 0x80...:
      state = .ground
      takeText(byte, &keys)
    default:
      state = .ground
      if let name = Key.Name(final: byte) {
        // The parameters may consist of the modifiers alone.
        let numbers = Self.numbers(parameters)
        keys.append(.named(name, Key.Modifiers(parameter: numbers?.last ?? nil)))
      }
    }
  }

  private mutating func finish(_ final: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
    guard let numbers = Self.numbers(parameters) else { return }
    let modifiers = Key.Modifiers(parameter: numbers.count > 1 ? numbers[1] : nil)
    switch final {
    case UInt8(ascii: "~"):
      guard let first = numbers.first, let number = first else { return }
      if number == 200 {
        state = .paste
      } else if let name = Key.Name(number: number) {
        keys.append(.named(name, modifiers))
      }
    case UInt8(ascii: "^"):
      // rxvt with ctrl.
      if let first = numbers.first, let number = first, let name = Key.Name(number: number) {
        keys.append(.named(name, .control))
      }
    case UInt8(ascii: "Z"):
      keys.append(.backTab)
    case UInt8(ascii: "a")...UInt8(ascii: "d") where parameters.isEmpty:
      // rxvt with shift. With parameters, these are other reports.
      if let name = Key.Name(final: final - 0x20) { keys.append(.named(name, .shift)) }
    default:
      if let name = Key.Name(final: final) { keys.append(.named(name, modifiers)) }
    }
  }

  /// The numbers between semicolons, with nil for an omitted one; nil for anything else, such as private parameters.
  private static func numbers(_ parameters: [UInt8]) -> [Int?]? {
    guard parameters.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x3B }) else { return nil }
    return parameters.split(separator: 0x3B, omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
  }
}

extension Key.Name {
  /// The key of a final byte.
  fileprivate init?(final: UInt8) {
    switch final {
    case UInt8(ascii: "A"): self = .up
    case UInt8(ascii: "B"): self = .down
    case UInt8(ascii: "C"): self = .right
    case UInt8(ascii: "D"): self = .left
    case UInt8(ascii: "H"): self = .home
    case UInt8(ascii: "F"): self = .end
    default: return nil
    }
  }

  /// The key of a number before `~`.
  fileprivate init?(number: Int) {
    switch number {
    case 1, 7: self = .home
    case 2: self = .insert
    case 3: self = .delete
    case 4, 8: self = .end
    case 5: self = .pageUp
    case 6: self = .pageDown
    default: return nil
    }
  }
}

extension Key.Modifiers {
  /// The modifiers from xterm's parameter, which is the sum of their bits plus one. Meta counts as alt.
  fileprivate init(parameter: Int?) {
    guard let parameter, (2...16).contains(parameter) else {
      self = []
      return
    }
    let bits = UInt8(parameter - 1)
    self.init(rawValue: bits & 7 | (bits & 8) >> 2)
  }
}
