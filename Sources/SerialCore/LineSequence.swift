/// What to do with the lines of a port, one step after the other: what resets a board, or starts
/// its boot loader.
///
/// It does nothing by itself and knows no clock: whoever has one takes step after step from an
/// iterator and waits where that says so.
public struct LineSequence: Hashable, Sendable, Sequence {
  /// The steps, in their order.
  public let steps: [Step]

  /// One step.
  public enum Step: Hashable, Sendable {
    /// Set output lines: see ``Session/setModemLines(asserting:deasserting:)``.
    case set(asserting: ModemLines, deasserting: ModemLines)
    /// Start or end a break: see ``Session/setBreak(_:)``.
    case setBreak(Bool)
    /// Wait before the next step.
    case wait(Duration)
  }

  /// How long one wait may be, in milliseconds.
  public static let waits = 0...10_000

  /// Creates a sequence.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Hands out the steps. The rest of a sequence is a value: it can be kept while a timer runs.
  public func makeIterator() -> IndexingIterator<[Step]> { steps.makeIterator() }

  /// Reads `dtr=off,rts=on,wait=100,rts=off`: `dtr`, `rts` and `break` are `on` (asserted) or
  /// `off`, `wait` has milliseconds within ``waits``.
  ///
  /// - Throws: ``ItemParsingError`` naming the item.
  public init(parsing text: some StringProtocol) throws(ItemParsingError) {
    var steps: [Step] = []
    for item in ListItem.items(of: text) { steps.append(try Step(item)) }
    self.init(steps)
  }
}

extension LineSequence.Step {
  fileprivate init(_ item: ListItem) throws(ItemParsingError) {
    switch item.name {
    case "dtr": self = .set(.dtr, isAsserted: try item.flag())
    case "rts": self = .set(.rts, isAsserted: try item.flag())
    case "break": self = .setBreak(try item.flag())
    case "wait": self = .wait(.milliseconds(try item.milliseconds(LineSequence.waits)))
    default: throw item.error("dtr=on|off, rts=on|off, break=on|off or wait=MS")
    }
  }

  private static func set(_ line: ModemLines, isAsserted: Bool) -> Self {
    isAsserted ? .set(asserting: line, deasserting: []) : .set(asserting: [], deasserting: line)
  }
}
