public import Patterns

/// Which lines are shown.
public struct LineRules: Hashable, Sendable {
  /// A line must match one of these; empty for all lines.
  public var shown: [Pattern]
  /// A line that matches one of these is hidden, even if it matches one of ``shown``.
  public var hidden: [Pattern]
  /// The lowest level of a line. Lines without a level are shown: they continue a message, or are
  /// what a program prints without a log. nil for all levels.
  public var level: LogLevel?
  /// Whether equal lines that follow each other are shown once, with their number.
  public var collapses: Bool

  /// Creates rules; without any, all lines are shown.
  public init(
    shown: [Pattern] = [], hidden: [Pattern] = [], level: LogLevel? = nil, collapses: Bool = false
  ) {
    self.shown = shown
    self.hidden = hidden
    self.level = level
    self.collapses = collapses
  }

  /// Whether any line may be hidden.
  public var hidesLines: Bool { !shown.isEmpty || !hidden.isEmpty || level != nil }

  /// Whether all lines are shown unchanged.
  public var isEmpty: Bool { !hidesLines && !collapses }
}

/// Judges lines by rules. Matchers are prepared once, and reused for all lines.
struct LineJudge {
  let rules: LineRules
  private var shown: [LineMatcher]
  private var hidden: [LineMatcher]
  private var budget = Self.steps

  /// The maximum number of steps for each piece of the device's bytes: some 10 ms.
  private static let steps = 500_000

  init(_ rules: LineRules) {
    self.rules = rules
    shown = rules.shown.map(LineMatcher.init)
    hidden = rules.hidden.map(LineMatcher.init)
  }

  /// Begins with another piece of the device's bytes.
  mutating func beginPiece() { budget = Self.steps }

  /// Whether a line is shown; nil if the expressions take too long.
  ///
  /// - Parameter text: the text of the whole line, without escape sequences and line end.
  mutating func shows(_ text: UnsafeRawBufferPointer) -> Bool? {
    if let limit = rules.level, let level = LogLevel.find(in: text), level < limit { return false }
    for index in hidden.indices {
      guard let isHidden = hidden[index].matches(text, budget: &budget) else { return nil }
      if isHidden { return false }
    }
    if shown.isEmpty { return true }
    for index in shown.indices {
      guard let isShown = shown[index].matches(text, budget: &budget) else { return nil }
      if isShown { return true }
    }
    return false
  }

  /// Whether an unfinished line is already known to be hidden: by its level.
  func hides(unfinished text: UnsafeRawBufferPointer) -> Bool {
    guard let limit = rules.level else { return false }
    return LogLevel.find(in: text, isWhole: false).map { $0 < limit } ?? false
  }
}
