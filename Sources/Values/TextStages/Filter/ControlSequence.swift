/// A complete control sequence: `ESC [`, parameters, intermediate bytes, and a final byte (ECMA-48,
/// 5.4). It is valid as long as its bytes are.
struct ControlSequence {
  /// The private mark before the parameters: `<`, `=`, `>` or `?`; nil for none.
  let mark: Unicode.Scalar?
  let parameters: Parameters
  /// The intermediate byte; nil for none.
  let intermediate: Unicode.Scalar?
  /// The final byte as a character, which identifies the function.
  let final: Unicode.Scalar

  /// - Parameter bytes: the sequence, including its `ESC`.
  /// - Returns: nil if it is malformed.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 2, bytes[1] == UInt8(ascii: "["), let last = bytes.last else { return nil }
    var inner = bytes[2..<(bytes.count - 1)]
    if let first = inner.first, (0x3C..<0x40).contains(first) {
      mark = Unicode.Scalar(first)
      inner = inner.dropFirst()
    } else {
      mark = nil
    }
    if let byte = inner.last, (0x20..<0x30).contains(byte) {
      intermediate = Unicode.Scalar(byte)
      inner = inner.dropLast()
    } else {
      intermediate = nil
    }
    guard inner.allSatisfy({ (0x30..<0x3C).contains($0) }) else { return nil }
    parameters = Parameters(inner)
    final = Unicode.Scalar(last)
  }

  /// Whether the sequence switches a private mode.
  func concerns(mode: Int) -> Bool { mark == "?" && parameters.contains { $0.number == mode } }

  /// What a sequence does at a terminal.
  enum Function: Hashable {
    /// It moves the cursor, erases or changes shown text, scrolls, or sets the scroll region. It
    /// takes at most this many numbers.
    case draws(numbers: Int)
    case savesCursor
    case restoresCursor
    /// It changes tab stops.
    case tabs
    /// It changes colours, styles and fonts.
    case rendition
    /// It switches modes: DECSET and DECRST, or SM and RM of ECMA-48.
    case modes(isPrivate: Bool, areOn: Bool)
    /// DECSTR.
    case softReset
    /// Anything else: it commands the terminal, makes it answer, outlasts the device, or does
    /// nothing.
    case other
  }

  /// The function, from ECMA-48, the manuals of the VT220 and VT510, and xterm's `ctlseqs`.
  var function: Function {
    if let intermediate { return function(intermediate) }
    switch mark {
    case nil: return plainFunction
    case "?":
      switch final {
      case "h", "l": return .modes(isPrivate: true, areOn: final == "h")
      // DECSED, DECSEL: no text is protected, because DECSCA has no effect.
      case "K": return .draws(numbers: 1)
      case "J": return parameters.first == 3 ? .other : .draws(numbers: 1)
      default: return .other
      }
    default: return .other
    }
  }

  private func function(_ intermediate: Unicode.Scalar) -> Function {
    guard mark == nil else { return .other }
    switch (intermediate, final) {
    // SL, SR.
    case (" ", "@"), (" ", "A"): return .draws(numbers: 1)
    case ("!", "p"): return .softReset
    default: return .other
    }
  }

  private var plainFunction: Function {
    switch final {
    // ICH, cursor movement, CHT, EL, IL, DL, DCH, SU, ECH, CBT, HPA, HPR, REP, VPA, VPR.
    case "@", "A"..."G", "I", "K"..."M", "P", "S", "X", "Z", "`", "a", "b", "d", "e":
      return .draws(numbers: 1)
    // SD. With more numbers, it begins a report of the mouse.
    case "T": return parameters.bytes.contains(UInt8(ascii: ";")) ? .other : .draws(numbers: 1)
    // CUP, HVP, DECSTBM.
    case "H", "f", "r": return .draws(numbers: 2)
    // Not 3, because the scrollback belongs to the user.
    case "J": return parameters.first == 3 ? .other : .draws(numbers: 1)  // ED.
    case "g": return .tabs
    // With numbers, `s` sets margins.
    case "s": return parameters.isEmpty ? .savesCursor : .other
    case "u": return parameters.isEmpty ? .restoresCursor : .other
    case "m": return .rendition
    case "h", "l": return .modes(isPrivate: false, areOn: final == "h")
    default: return .other
    }
  }
}
