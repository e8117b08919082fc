/// A complete control sequence: `ESC [`, parameters, and a final byte.
struct ControlSequence {
  /// Everything before the final byte, including private marks and intermediate bytes.
  let parameters: Parameters
  /// The final byte as a character, which identifies the function.
  let final: Unicode.Scalar
  /// The parameters after the question mark of a private mode; nil without one.
  private let modes: Parameters?

  /// - Parameter bytes: the sequence, including its `ESC`.
  init(_ bytes: [UInt8]) {
    let inner = bytes[2..<(bytes.count - 1)]
    parameters = Parameters(inner)
    final = Unicode.Scalar(bytes[bytes.count - 1])
    modes = inner.first == UInt8(ascii: "?") ? Parameters(inner.dropFirst()) : nil
  }

  /// The treatment of the sequence.
  var verdict: Verdict { isHarmless ? .passed : isHabit ? .dropped : .shown }

  /// The treatment of a sequence.
  enum Verdict: Hashable {
    /// It is passed to the terminal.
    case passed
    /// It is dropped, because no user needs to see it.
    case dropped
    /// It is shown as text.
    case shown
  }

  /// Whether these are private modes that shells and editors usually switch at every prompt and on
  /// every screen: application keys (1), the blinking cursor (12), the alternate screen (47, 1047
  /// to 1049), the mouse (1000 to 1006, 1015), focus (1004), meta keys (1034), bracketed paste
  /// (2004), synchronised output (2026).
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

  /// Whether it only moves the cursor or changes the shown text.
  ///
  /// This is a list of permitted sequences, from ECMA-48 and xterm's `ctlseqs`. Every function in
  /// it takes plain numbers, which excludes sequences with a private mark or an intermediate byte,
  /// and no more of them than it needs: with more, `T` would switch on mouse reports, and `s`
  /// would set margins.
  var isHarmless: Bool {
    switch final {
    // ICH, cursor movement, CHT, EL, IL, DL, DCH, SU, SD, ECH, CBT, HPA, HPR, REP, VPA, VPR.
    case "@", "A"..."G", "I", "K"..."M", "P", "S", "T", "X", "Z", "`", "a", "b", "d", "e":
      parameters.areNumbers(atMost: 1)
    // CUP, HVP, DECSTBM.
    case "H", "f", "r": parameters.areNumbers(atMost: 2)
    // ED, but not 3, because the scrollback belongs to the user.
    case "J":
      parameters.areNumbers(atMost: 1) && parameters.allSatisfy { $0.number != 3 }
    // Saves and restores the cursor.
    case "s", "u": parameters.isEmpty
    case "m": isHarmlessRendition
    case "h", "l": isHarmlessMode
    default: false
    }
  }

  /// Whether these are modes that this program can restore: the cursor is visible (25), long
  /// lines wrap (7).
  private var isHarmlessMode: Bool {
    guard let modes, !modes.isEmpty, modes.isWellFormed() else { return false }
    return modes.allSatisfy { $0.number == 25 || $0.number == 7 }
  }

  /// Whether the sequence sets or resets a private mode.
  func concerns(mode: Int) -> Bool { modes?.contains { $0.number == mode } ?? false }

  /// Whether these are colours and styles, but not fonts.
  ///
  /// The parameters 10 to 20 select fonts. On the Linux console, 11 and 12 select another character
  /// set, and 0 does not reset that (console_codes(4)).
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

  /// Skips the numbers of a colour: `5;N` or `2;R;G;B`. They are not functions themselves.
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
