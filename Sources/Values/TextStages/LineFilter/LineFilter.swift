import TextTools
public import Time

/// Hides lines on the screen, and shows equal lines once. Logs and the scrollback get all lines.
///
/// ## Principles of operation
///
/// - **A line is judged at its end**, by its text without escape sequences. CR LF, LF CR, CR CR LF
///   and LF are one end, which is hidden with its line. Each state of a progress bar that is
///   rewritten after CR is a line of its own, because it is seen.
/// - **Text appears immediately.** The beginning of a line, such as a prompt, is shown before the
///   line ends. If the line then turns out to be hidden, it is erased. A line that arrives as a
///   whole is never drawn, and neither is the rest of a line whose level is known to be hidden.
/// - **Erasing is certain, or not done.** The line begins in the first column, nothing else was
///   written since, its rows are known and on the screen, and the background has no colour.
///   Otherwise the line stays, and is not counted as hidden.
/// - **Where nothing can be erased**, an unfinished line waits for its end or a pause.
/// - **A line in which the device moves the cursor is shown**, and so is the rest of a line that is
///   longer than ``lineLimit``.
/// - **Colours of hidden lines take effect**: they are written before the next text.
/// - **Equal lines** are shown once, followed by their number: `(×3)`. The line end follows when
///   another line comes, so that the number can be rewritten. Hidden lines between equal ones do
///   not matter. Empty lines, and those longer than ``equalLimit``, are not counted together.
///
/// It follows an ``EscapeFilter``, so that sequences and characters are complete, and precedes
/// a ``Highlighter`` and a ``LineStamper``. Keep one stage for the whole stream, and change
/// its ``rules``.
public struct LineFilter: ByteStage {
  /// The maximum length of a line that is judged, in bytes.
  public static let lineLimit = 65_536
  /// The maximum length of equal lines, in bytes of text.
  public static let equalLimit = 1_024
  /// The maximum part of an unfinished line that is searched for a level, in bytes.
  private static let earlyLimit = 512
  /// The maximum size of the sequences of hidden lines that are held back.
  private static let heldSequenceLimit = 512
  /// The maximum size of a line end that is held back: several CR before an LF are one line end.
  private static let endLimit = 8

  /// The rules. They apply to the lines that end from now on.
  public var rules: LineRules {
    get { judge.rules }
    set { if newValue != judge.rules { judge = LineJudge(newValue) } }
  }

  /// The least and the greatest width of a timestamp before each line. A change applies to the
  /// next line.
  public var margin: ClosedRange<Int>

  /// The number of hidden lines.
  public private(set) var hiddenCount = 0
  /// The number of lines that are shown because the expressions took too long.
  public private(set) var unjudgedCount = 0

  private var judge: LineJudge
  private var text = LineText()
  private let screen: Screen
  /// The place of the next part.
  private var position = LinePosition.start
  private var line = OpenLine()
  /// What has happened to the last line, and so to its line end.
  private var ending = Ending.shown
  /// The last line, while its line end is held back.
  private var run: Run?
  private var canvas: Canvas

  /// The terminal behind the stage.
  private struct Screen {
    let draws: Bool
    let showsUTF8: Bool
    let size: () -> (columns: Int, rows: Int)
  }

  /// The line that has not ended.
  private struct OpenLine {
    /// Its bytes, unless it is free.
    var bytes: [UInt8] = []
    /// The number of these bytes that were put out.
    var shownCount = 0
    /// Whether it is known to be hidden, and waits for its end.
    var isHeld = false
    /// Whether it is shown whatever it contains. All of it was put out.
    var isFree = false
    /// The place of the part that was put out; nil if it cannot be erased.
    var drawn: DrawnLine?

    /// Whether a part waits for the end of the line, or for a pause.
    var isWaiting: Bool { shownCount < bytes.count && !isHeld }

    func withUnshown<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[shownCount...])) }
    }

    mutating func clear() {
      bytes.removeAll(keepingCapacity: true)
      (shownCount, isHeld, isFree, drawn) = (0, false, false, nil)
    }
  }

  private enum Ending {
    case shown, hidden
    /// It is held back as the line end of ``run``.
    case held
    /// The line was counted as equal to the one before.
    case repeated
  }

  /// What the device has set on the screen.
  private struct Canvas {
    /// Whether the cursor is in the first column before the line.
    var isAtMargin: Bool
    /// Whether lines wrap: DECAWM.
    private(set) var wraps = true
    /// Whether a part of the screen scrolls: DECSTBM.
    private(set) var hasRegion = false
    private(set) var rendition = Rendition()
    /// The styles and modes of hidden lines that were not put out yet.
    private var styles: [UInt8] = []
    private var modes: [UInt8] = []

    /// The number of bytes that are held back.
    var heldCount: Int { styles.count + modes.count }

    init(isAtMargin: Bool) { self.isAtMargin = isAtMargin }

    /// Records a part that is put out, or hidden.
    mutating func note(_ part: ScreenPart, isShown: Bool) {
      let sequence = part.sequence
      switch part.kind {
      case .style:
        guard let parameters = sequence?.parameters else { break }
        rendition.apply(parameters)
        if isShown { break }
        if parameters.first == 0 { styles.removeAll(keepingCapacity: true) }
        styles += part.bytes
      case .mode:
        if let sequence, sequence.concerns(mode: 7) { wraps = sequence.final == "h" }
        if !isShown { modes += part.bytes }
      case .motion:
        if let sequence, sequence.final == "r" { hasRegion = !sequence.parameters.isEmpty }
      default: break
      }
    }

    mutating func note(_ text: UnsafeRawBufferPointer, isShown: Bool) {
      for part in ScreenParts(text) { note(part, isShown: isShown) }
    }

    /// Puts out the modes, colours and styles of hidden lines.
    mutating func catchUp(into output: inout [UInt8]) {
      output += modes + styles
      modes.removeAll(keepingCapacity: true)
      styles.removeAll(keepingCapacity: true)
    }
  }

  /// A line that equal lines may follow.
  private struct Run {
    let text: [UInt8]
    /// The place of the line, to write numbers after it; nil if nothing can be rewritten.
    let place: DrawnLine?
    /// The line end that was held back, and whether it has an LF.
    private(set) var end: [UInt8] = []
    private(set) var hasEnded = false
    var count = 1
    /// The number that is on the screen, and its width in columns; 1 for none.
    var shown = (number: 1, width: 0)
    /// Where the cursor is.
    var cursor = Cursor.atEnd

    enum Cursor {
      /// After the line or its number.
      case atEnd
      /// At an unknown position.
      case unknown
      /// In an empty line.
      case inEmptyLine
    }

    init(_ text: [UInt8], at place: DrawnLine?) { (self.text, self.place) = (text, place) }

    mutating func append(lineEnd part: ScreenPart) {
      end += part.bytes
      if part.kind == .lineFeed { hasEnded = true }
    }

    /// Whether equal lines are counted.
    var isOpen: Bool { hasEnded && cursor == .atEnd }
    /// Whether the number must be shown.
    var isNumberMissing: Bool { count > shown.number }
  }

  /// Creates a stage.
  ///
  /// - Parameters:
  ///   - rules: which lines are shown.
  ///   - isAtMargin: whether the cursor is in the first column.
  ///   - draws: whether the terminal supports escape sequences, and no other text shares its
  ///     lines. Otherwise nothing is erased or rewritten.
  ///   - showsUTF8: whether the terminal can show `×`.
  ///   - margin: the least and the greatest width of a timestamp before each line.
  ///   - size: returns the size of the screen in columns and rows; 0 if it is unknown.
  public init(
    _ rules: LineRules = LineRules(), isAtMargin: Bool = true, draws: Bool = true,
    showsUTF8: Bool = true, margin: ClosedRange<Int> = 0...0,
    size: @escaping () -> (columns: Int, rows: Int)
  ) {
    judge = LineJudge(rules)
    canvas = Canvas(isAtMargin: isAtMargin)
    self.margin = margin
    screen = Screen(draws: draws, showsUTF8: showsUTF8, size: size)
  }

  /// The number of bytes that are kept.
  var waiting: Int {
    line.bytes.count + canvas.heldCount + (run.map { $0.text.count + $0.end.count } ?? 0)
  }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    judge.beginPiece()
    for part in ScreenParts(bytes) {
      switch part.kind {
      case .lineFeed, .carriageReturn:
        if position.isEnded(by: part) { endLine(into: &output) }
        pass(lineEnd: part, into: &output)
      default: add(part, into: &output)
      }
      position.advance(over: part)
    }
    showOpenLine(into: &output)
    rewriteNumber(into: &output)
    return .changed
  }

  // MARK: The open line

  private mutating func add(_ part: ScreenPart, into output: inout [UInt8]) {
    if !line.isFree {
      line.bytes += part.bytes
      if part.kind != .motion, line.bytes.count <= Self.lineLimit { return }
      // A line with movements is not judged, and neither is the rest of a long one.
      line.bytes.removeLast(part.bytes.count)
      show(into: &output)
      line.clear()
      line.isFree = true
    }
    canvas.note(part, isShown: true)
    output.append(contentsOf: part.bytes)
  }

  /// Shows what may be shown of the open line.
  private mutating func showOpenLine(into output: inout [UInt8]) {
    if !line.isWaiting { return }
    if isHiddenEarly, line.shownCount == 0 || erase(into: &output) { line.isHeld = true }
    if !line.isHeld, line.shownCount > 0 || !waitsForEnd { show(into: &output) }
  }

  /// Whether the level of the open line is known, and hidden.
  private var isHiddenEarly: Bool {
    guard rules.level != nil else { return false }
    var text = LineText()
    return line.bytes.prefix(Self.earlyLimit).withUnsafeBytes {
      text.with($0, judge.hides(unfinished:))
    }
  }

  /// Whether an open line of which nothing is shown waits for its end.
  private var waitsForEnd: Bool { (rules.hidesLines && !screen.draws) || mayRepeat }

  /// Whether the open line is the beginning of the line before.
  private var mayRepeat: Bool {
    guard rules.collapses, let run, run.isOpen, line.bytes.count <= 2 * Self.equalLimit else {
      return false
    }
    var text = LineText()
    return line.bytes.withUnsafeBytes { bytes in
      text.with(bytes) { $0.count <= run.text.count && run.text.starts(with: $0) }
    }
  }

  /// Shows the rest of the open line, after the line end that was held back, and the styles of
  /// hidden lines.
  private mutating func show(into output: inout [UInt8]) {
    if line.shownCount == 0 {
      release(into: &output)
      canvas.catchUp(into: &output)
      line.drawn = beginning
    }
    output += line.bytes[line.shownCount...]
    line.bytes.withUnsafeBytes { bytes in
      let unshown = UnsafeRawBufferPointer(rebasing: bytes[line.shownCount...])
      canvas.note(unshown, isShown: true)
      line.drawn?.add(unshown)
    }
    line.shownCount = line.bytes.count
  }

  /// The place before a line; nil if it cannot be erased later.
  private var beginning: DrawnLine? {
    guard screen.draws, canvas.isAtMargin, canvas.wraps else { return nil }
    let columns = screen.size().columns
    return columns > 0 ? DrawnLine(margin: margin, columns: columns) : nil
  }

  /// Erases the part of the open line that was shown.
  ///
  /// - Returns: whether this is possible.
  private mutating func erase(into output: inout [UInt8]) -> Bool {
    let size = screen.size()
    guard let drawn = line.drawn, let rows = drawn.rowsAbove, drawn.columns == size.columns,
      rows < size.rows, rows == 0 || !canvas.hasRegion, canvas.wraps,
      !canvas.rendition.coloursBackground
    else { return false }
    drawn.erase(into: &output)
    (line.shownCount, line.drawn, canvas.isAtMargin) = (0, nil, true)
    return true
  }

  // MARK: The end of a line

  /// Judges the line that has ended, and shows or hides it.
  private mutating func endLine(into output: inout [UInt8]) {
    defer { line.clear() }
    if rules.hidesLines, !line.isFree, !isShown, line.shownCount == 0 || erase(into: &output) {
      hiddenCount += 1
      return hide(as: .hidden, into: &output)
    }
    let equal = rules.collapses && !line.isFree ? equalText : nil
    if let equal, line.shownCount == 0, let run, run.isOpen, equal == run.text {
      self.run?.count += 1
      return hide(as: .repeated, into: &output)
    }
    if !line.isFree { show(into: &output) }
    if !position.isEmpty {
      canvas.isAtMargin = false
    } else if position == .startReturned, ending == .hidden || ending == .repeated {
      // Its CR was left out, because it could belong to the line end before.
      output.append(.carriageReturn)
    }
    run = equal.map { Run($0, at: line.drawn) }
    ending = run == nil ? .shown : .held
  }

  private var isShown: Bool {
    mutating get {
      let isShown = line.bytes.withUnsafeBytes { text.with($0) { judge.shows($0) } }
      if isShown == nil { unjudgedCount += 1 }
      return isShown ?? true
    }
  }

  /// The text of a line that equal lines may follow; nil for an empty or long line.
  private var equalText: [UInt8]? {
    mutating get {
      line.bytes.withUnsafeBytes { bytes in
        text.with(bytes) { (1...Self.equalLimit).contains($0.count) ? Array($0) : nil }
      }
    }
  }

  private mutating func hide(as ending: Ending, into output: inout [UInt8]) {
    self.ending = ending
    line.withUnshown { canvas.note($0, isShown: false) }
    if canvas.heldCount > Self.heldSequenceLimit { canvas.catchUp(into: &output) }
  }

  /// Passes a CR or LF with the line that it ends, or holds it back.
  private mutating func pass(lineEnd part: ScreenPart, into output: inout [UInt8]) {
    let isReturn = part.kind == .carriageReturn
    switch ending {
    case .hidden, .repeated:
      if !isReturn || canvas.isAtMargin { return }
      if run == nil { output.append(contentsOf: part.bytes) } else { run?.append(lineEnd: part) }
    case .held where run.map { $0.end.count < Self.endLimit } ?? false: run?.append(lineEnd: part)
    case .shown, .held:
      release(into: &output)
      output.append(contentsOf: part.bytes)
      ending = .shown
    }
    if isReturn { canvas.isAtMargin = true }
  }

  // MARK: Equal lines

  /// Puts out the line end that was held back, after the number of equal lines.
  private mutating func release(into output: inout [UInt8]) {
    guard let run else { return }
    self.run = nil
    if run.isNumberMissing { put(numberOf: run, into: &output) }
    if run.cursor != .inEmptyLine || run.isNumberMissing { output += run.end }
  }

  /// Rewrites the number of equal lines behind the line, where there is room.
  private mutating func rewriteNumber(into output: inout [UInt8]) {
    guard let run, run.isOpen, run.isNumberMissing, let place = run.place,
      place.columns == screen.size().columns, place.hasRoom(for: Self.numberWidth(run.count))
    else { return }
    put(numberOf: run, into: &output)
    self.run?.shown = (run.count, Self.numberWidth(run.count))
  }

  private func put(numberOf run: Run, into output: inout [UInt8]) {
    if run.cursor == .atEnd {
      output += repeatElement(.backspace, count: run.shown.width)
    }
    output.append(screen.showsUTF8 ? " (×" : " (x")
    output.append(decimal: UInt64(run.count))
    output.append(")")
  }

  /// The width of a blank, parentheses, `×` and the digits.
  private static func numberWidth(_ count: Int) -> Int { 4 + "\(count)".utf8.count }

  // MARK: Pauses and other text

  /// Whether an open line or a number waits for more bytes.
  public var isWaiting: Bool {
    line.isWaiting || run.map { $0.isNumberMissing || (!screen.draws && $0.hasEnded) } ?? false
  }

  /// Shows an open line and a number that wait. A line that is known to be hidden
  /// stays hidden.
  public mutating func flush(into output: inout [UInt8]) {
    if isWaiting { release(into: &output) }
    if line.isWaiting { show(into: &output) } else { canvas.catchUp(into: &output) }
  }

  /// Records a moved cursor: what is on the screen cannot be erased or rewritten any more.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    line.drawn = nil
    canvas.isAtMargin = isAtMargin
    guard let run else { return }
    if position == .returned, ending == .held, isAtMargin {
      // Its line has ended. The rest of the line end is not needed.
      self.run = nil
      ending = .hidden
    } else if run.cursor != .inEmptyLine {
      self.run?.cursor = isAtMargin ? .inEmptyLine : .unknown
    }
  }
}
