import TextTools

/// A question of a device to its terminal that has an answer here: about the size, or about what
/// a VT220 is. The others have none: about titles, colours, the clipboard, keyboards.
public enum TerminalQuestion: Hashable, Sendable {
  /// CPR or DECXCPR, after the cursor was moved beyond the lower right corner: programs find the
  /// size of the screen in this way. Elsewhere the position is not known.
  case corner(isExtended: Bool)
  /// The size in characters: xterm's window operations 18 and 19, whose answers begin with 8 and
  /// 9.
  case size(report: Int)
  /// A question to which a VT220 always gives the same answer.
  case constant(String)

  /// - Parameter isAtCorner: whether the cursor is in the lower right corner.
  init?(_ sequence: ControlSequence, isAtCorner: @autoclosure () -> Bool) {
    let number = sequence.parameters.first
    switch (sequence.mark, sequence.intermediate, sequence.final) {
    // DA: a VT220 with colours; DA2: its firmware.
    case (nil, nil, "c") where number == 0: self = Self.attributes
    case (">", nil, "c") where number == 0: self = .constant("\u{1B}[>1;10;0c")
    // DSR: no malfunction.
    case (nil, nil, "n") where number == 5: self = .constant("\u{1B}[0n")
    // CPR, DECXCPR.
    case (nil, nil, "n") where number == 6 && isAtCorner(): self = .corner(isExtended: false)
    case ("?", nil, "n") where number == 6 && isAtCorner(): self = .corner(isExtended: true)
    // DSR of the VT220: no printer; user-defined keys are unlocked; a North American keyboard.
    case ("?", nil, "n") where number == 15: self = .constant("\u{1B}[?13n")
    case ("?", nil, "n") where number == 25: self = .constant("\u{1B}[?20n")
    case ("?", nil, "n") where number == 26: self = .constant("\u{1B}[?27;1n")
    // DECRQM: the mode is not known, as a terminal says that has only some modes.
    case ("?", "$", "p"): self = .constant("\u{1B}[?\(number);0$y")
    case (nil, "$", "p"): self = .constant("\u{1B}[\(number);0$y")
    case (nil, nil, "t") where number == 18: self = .size(report: 8)
    case (nil, nil, "t") where number == 19: self = .size(report: 9)
    default: return nil
    }
  }

  /// DA, which DECID asks for, too.
  static let attributes = TerminalQuestion.constant("\u{1B}[?62;22c")

  /// The answer that some settings allow; nil for none.
  ///
  /// - Parameters:
  ///   - rows: the number of rows of the screen.
  ///   - columns: the number of its columns.
  public func answer(with answers: TerminalAnswers, rows: Int, columns: Int) -> String? {
    switch self {
    case _ where answers == .off: nil
    case .corner(let isExtended): "\u{1B}[\(isExtended ? "?" : "")\(rows);\(columns)R"
    case .size(let report): "\u{1B}[\(report);\(rows);\(columns)t"
    case .constant(let answer): answers == .all ? answer : nil
    }
  }

  /// Whether the question is about the size.
  public var isAboutSize: Bool {
    switch self {
    case .corner, .size: true
    case .constant: false
    }
  }
}

/// Which questions of a device are answered.
public enum TerminalAnswers: String, CaseIterable, Sendable {
  /// None: an answer to a boot loader would be a key, and stop the boot.
  case off
  /// Those about the size.
  case size
  /// Those about the size, and those about what the terminal is.
  case all
}
