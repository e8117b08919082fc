/// A complete control sequence: `ESC [`, parameters, a final byte.
struct ControlSequence {
  /// What stands before the final byte, private marks and intermediate bytes too.
  let parameters: Parameters
  /// What tells the function. Meant to be read as a character.
  let final: Unicode.Scalar
  /// The parameters after the question mark of a private mode; nil without one.
  private let modes: Parameters?

  /// - Parameter bytes: the sequence, from its `ESC` on.
  init(_ bytes: [UInt8]) {
    let inner = bytes[2..<(bytes.count - 1)]
    parameters = Parameters(inner)
    final = Unicode.Scalar(bytes[bytes.count - 1])
    modes = inner.first == UInt8(ascii: "?") ? Parameters(inner.dropFirst()) : nil
  }

  /// What becomes of it.
  var verdict: Verdict { isHarmless ? .passed : isHabit ? .dropped : .shown }

  /// What becomes of a sequence.
  enum Verdict: Hashable {
    /// It is for the terminal.
    case passed
    /// Nobody needs to see it.
    case dropped
    /// It is shown instead of obeyed.
    case shown
  }

  /// Whether these are private modes that shells and editors switch as a matter of course, around
  /// every prompt and every screen: application keys (1), the cursor's blinking (12), the alternate
  /// screen (47, 1047 to 1049), the mouse (1000 to 1006, 1015), focus (1004), meta keys (1034),
  /// bracketed paste (2004), synchronised output (2026).
  private var isHabit: Bool {
    guard final == "h" || final == "l", let modes, !modes.isEmpty, modes.isWellFormed() else {
      return false
    }
    return modes.allSatisfy { mode in
      switch mode.number {
      case 1, 7, 12, 25, 47, 1000...1006, 1015, 1034, 1047...1049, 2004, 2026: true
      default: false
      }
    }
  }

  /// Whether it does no more than move the cursor and change what is shown.
  ///
  /// A list of what is let through, from ECMA-48 and xterm's `ctlseqs`: what is not on it is not.
  /// Every function on it takes plain numbers, which excludes everything that begins with a private mark
  /// or has an intermediate byte, and takes no more of them than it needs: with more, `T` would turn
  /// on mouse reports and `s` would set margins.
  var isHarmless: Bool {
    switch final {
    // ICH, cursor movement, CHT, EL, IL, DL, DCH, SU, SD, ECH, CBT, HPA, HPR, REP, VPA, VPR.
    case "@", "A"..."G", "I", "K"..."M", "P", "S", "T", "X", "Z", "`", "a", "b", "d", "e":
      parameters.areNumbers(atMost: 1)
    // CUP, HVP, DECSTBM.
    case "H", "f", "r": parameters.areNumbers(atMost: 2)
    // ED, without 3: what has scrolled away is the user's.
    case "J":
      parameters.areNumbers(atMost: 1) && parameters.allSatisfy { $0.number != 3 }
    // Saves and restores the cursor.
    case "s", "u": parameters.isEmpty
    case "m": isHarmlessRendition
    case "h", "l": isHarmlessMode
    default: false
    }
  }

  /// Whether these are modes that we know how to set back: the cursor is shown (25), long lines wrap
  /// (7).
  private var isHarmlessMode: Bool {
    guard let modes, !modes.isEmpty, modes.isWellFormed() else { return false }
    return modes.allSatisfy { $0.number == 25 || $0.number == 7 }
  }

  /// Whether a private mode is among those that are set or reset.
  func concerns(mode: Int) -> Bool { modes?.contains { $0.number == mode } ?? false }

  /// Whether these are colours and styles, and no fonts.
  ///
  /// 10 to 20 choose fonts. To the Linux console 11 and 12 are another character set, and 0 does not
  /// end them (console_codes(4)).
  private var isHarmlessRendition: Bool {
    guard parameters.isWellFormed(allowingColons: true) else { return false }
    var numbers = parameters.makeIterator()
    while let parameter = numbers.next() {
      switch parameter.number {
      case 10...20: return false
      case 38 where !parameter.isCompound, 48 where !parameter.isCompound:
        guard Self.skipColor(in: &numbers) else { return false }
      default: break
      }
    }
    return true
  }

  /// Skips the numbers of a colour: `5;N` or `2;R;G;B`. They are no functions of their own.
  private static func skipColor(in numbers: inout Parameters.Iterator) -> Bool {
    guard let kind = numbers.next(), !kind.isCompound, kind.number == 5 || kind.number == 2 else {
      return false
    }
    for _ in 0..<(kind.number == 5 ? 1 : 3) {
      if numbers.next()?.isCompound == true { return false }
    }
    return true
  }
}
