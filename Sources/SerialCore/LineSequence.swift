import Time

/// Steps that set the lines of a port, for example to reset a board or to start its boot loader.
///
/// A value without a clock: the caller takes step after step from an iterator, and waits where a
/// step says so.
public struct LineSequence: Hashable, Sendable, Sequence {
  /// The steps, in order.
  public let steps: [Step]

  /// One step.
  public enum Step: Hashable, Sendable {
    /// Set output lines: see ``Session/setModemLines(asserting:deasserting:)``.
    case set(asserting: ModemLines, deasserting: ModemLines)
    /// Start or end a break: see ``Session/setBreak(_:)``.
    case setBreak(Bool)
    /// Wait before the next step.
    case wait(Duration)
    /// Set the baud rate, until the sequence ends: see ``Session/apply(_:answer:)``.
    case setBaudRate(UInt32)
  }

  /// The range of one wait, in milliseconds.
  public static let waits = 0...10_000

  /// Creates a sequence.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Returns an iterator over the steps. It is a value, which can be kept while a timer runs.
  public func makeIterator() -> IndexingIterator<[Step]> { steps.makeIterator() }

  /// Parses `dtr=off,rts=on,wait=100,rts=off`: `dtr`, `rts` and `break` are `on`
  /// (asserted) or `off`; `wait` takes milliseconds within ``waits``; `baud` takes a
  /// rate within ``LineSettings/baudRates``.
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
    case "baud": self = .setBaudRate(try item.baudRate())
    default: throw item.error("dtr=on|off, rts=on|off, break=on|off, wait=MS or baud=RATE")
    }
  }

  private static func set(_ line: ModemLines, isAsserted: Bool) -> Self {
    isAsserted ? .set(asserting: line, deasserting: []) : .set(asserting: [], deasserting: line)
  }
}

extension LineSequence: CustomStringConvertible {
  /// The steps as ``init(parsing:)`` reads them.
  public var description: String { steps.map(\.description).joined(separator: ",") }
}

extension LineSequence.Step: CustomStringConvertible {
  /// The step as it is written in a sequence: `dtr=off`.
  public var description: String {
    switch self {
    case .set(let asserting, let deasserting):
      ModemLines.named.compactMap { name, line in
        let name = name.lowercased()
        return asserting.contains(line)
          ? "\(name)=on" : deasserting.contains(line) ? "\(name)=off" : nil
      }.joined(separator: ",")
    case .setBreak(let isOn): "break=\(isOn ? "on" : "off")"
    case .wait(let duration): "wait=\(duration.nanoseconds / 1_000_000)"
    case .setBaudRate(let rate): "baud=\(rate)"
    }
  }
}
