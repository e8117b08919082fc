import TextTools

/// What a status line shows: parts, each of which knows shorter forms of itself.
///
/// On a narrow screen, the forms with the greatest weights are shown, each if there is room for it
/// beside those that weigh more. What is shown is whole: nothing is cut off, unless the forms that
/// never give way are too wide.
public struct StatusParts: Hashable, Sendable {
  /// A part of the line.
  public struct Part: Hashable, Sendable {
    /// The forms from the longest to the shortest, with ascending weights.
    fileprivate let forms: [Form]

    /// Creates a part.
    ///
    /// - Parameter forms: texts with their weights, from the longest to the shortest; the weights
    ///   ascend. ``StatusParts/always`` is the weight of one that never gives way.
    public init(_ forms: [(line: StyledLine, weight: Int)]) {
      self.forms = forms.map { Form(line: $0.line, weight: $0.weight) }
    }
  }

  fileprivate struct Form: Hashable, Sendable {
    let line: StyledLine
    let weight: Int
  }

  /// The weight of a form that never gives way.
  public static let always = Int.max

  /// The columns between two parts.
  private static let gap = 2

  private let parts: [Part]
  /// The part at the right edge.
  private let last: Part?

  /// Creates a line of parts.
  ///
  /// - Parameters:
  ///   - parts: the parts from the left edge on.
  ///   - last: the part at the right edge; nil for none.
  public init(_ parts: [Part], last: Part? = nil) { (self.parts, self.last) = (parts, last) }

  /// Creates a line of one text.
  public init(_ text: String) { self.init([Part([(StyledLine(text), Self.always)])]) }

  /// The parts as a line of exactly this width in columns.
  public func line(toWidth width: Int) -> StyledLine {
    let all = parts + (last.map { [$0] } ?? [])
    var shown = all.map { part in part.forms.last { $0.weight == Self.always }?.line }
    let forms = all.indices.flatMap { index in all[index].forms.map { (index, $0) } }
      .sorted { ($0.1.weight, -$0.0) > ($1.1.weight, -$1.0) }
    for (index, form) in forms {
      var fuller = shown
      fuller[index] = form.line
      if Self.width(of: fuller) <= width { shown = fuller }
    }
    let end = last == nil ? nil : shown.removeLast()
    let room = end.map { max(0, width - $0.width - Self.gap) } ?? width
    let begin = Self.joined(shown.compactMap { $0 }).truncated(toWidth: room)
    guard let end else { return begin.padded(toWidth: width) }
    var line = begin.padded(toWidth: max(0, width - end.width))
    line.append(end)
    return line.clipped(toWidth: width)
  }

  private static func width(of parts: [StyledLine?]) -> Int {
    let widths = parts.compactMap { $0?.width }
    return widths.reduce(0, +) + gap * max(0, widths.count - 1)
  }

  private static func joined(_ lines: [StyledLine]) -> StyledLine {
    var line = StyledLine()
    for (number, next) in lines.enumerated() {
      if number > 0 { line.append(String(repeating: " ", count: gap)) }
      line.append(next)
    }
    return line
  }
}
