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
///   longer than ``lineLimit``, or whose beginning was shown without rules.
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

  private var judge: LineJudge
  private var text = LineText()
  private let screen: Screen

  /// The bytes of the unfinished line, unless it is free.
  private var line: [UInt8] = []
  /// The number of these bytes that were put out.
  private var shownCount = 0
  /// Whether the unfinished line is known to be hidden, and waits for its end.
  private var isHeld = false
  /// Whether the unfinished line is shown whatever it contains. All of it was put out.
  private var isFree = false
  /// The place of the part that was put out; nil if it cannot be erased.
  private var drawn: DrawnLine?
  /// Whether the cursor is in the first column before the line.
  private var isAtMargin: Bool
  /// What happens to the line end; nil in a line, and before it.
  private var ending: Ending?
  /// What has happened to the last line end, and whether a CR in the empty line is hidden with it.
  private var (lastEnding, hasHiddenReturn) = (Ending.shown, false)
  /// The styles and modes of hidden lines that were not put out yet.
  private var styles: [UInt8] = []
  private var modes: [UInt8] = []
  /// The last line, while its line end is held back.
  private var run: Run?
  /// Whether lines wrap: DECAWM.
  private var wraps = true
  /// Whether a part of the screen scrolls: DECSTBM.
  private var hasRegion = false
  /// Whether the background has a colour, which erased cells would get.
  private var hasBackground = false

  /// The terminal behind the stage.
  private struct Screen {
    let draws: Bool
    let showsUTF8: Bool
    let size: () -> (columns: Int, rows: Int)
  }

  private enum Ending {
    case shown, hidden
    /// It is held back as the line end of ``run``.
    case held
    /// The line was counted as equal to the one before.
    case repeated
  }

  /// A line that equal lines may follow.
  private struct Run {
    let text: [UInt8]
    /// The place of the line, to write numbers after it; nil if nothing can be rewritten.
    let place: DrawnLine?
    /// The line end that was held back. It is complete if it has an LF.
    var end: [UInt8] = []
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

    /// Whether equal lines are counted.
    var isOpen: Bool { hasEnded && cursor == .atEnd }
    var hasEnded: Bool { end.contains(.lineFeed) }
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
    self.isAtMargin = isAtMargin
    self.margin = margin
    screen = Screen(draws: draws, showsUTF8: showsUTF8, size: size)
  }

  /// The number of bytes that are kept.
  var waiting: Int {
    line.count + styles.count + modes.count + (run.map { $0.text.count + $0.end.count } ?? 0)
  }

  // MARK: Pieces

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    if bytes.isEmpty { return .unchanged }
    if rules.isEmpty, passes { return pass(bytes) }
    var piece = Piece(bytes)
    var index = 0
    while index < bytes.count {
      if let ending {
        if end(ending, with: bytes[index], at: index, of: &piece, into: &output) { index += 1 }
        continue
      }
      if bytes[index] == .carriageReturn, line.isEmpty, !isFree {
        passReturn(at: index, of: &piece, into: &output)
        index += 1
        continue
      }
      let end = Self.endOfLine(in: bytes, from: index)
      let part = index..<end
      if end < bytes.count {
        ending = finish(with: part, of: &piece, into: &output)
      } else {
        extend(by: part, of: &piece, into: &output)
      }
      index = end
    }
    rewriteNumber(in: &piece, at: bytes.count, into: &output)
    return piece.finish(into: &output)
  }

  /// A piece whose parts are passed, left out, or preceded by other bytes. Parts that are passed
  /// are copied together.
  private struct Piece {
    let bytes: UnsafeRawBufferPointer
    /// The beginning of the part that is passed but not copied yet.
    private var start = 0
    private var isChanged = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Leaves out a part.
    mutating func skip(_ part: Range<Int>, into output: inout [UInt8]) {
      if part.isEmpty { return }
      prepare(at: part.lowerBound, into: &output)
      start = part.upperBound
    }

    /// Copies what precedes a position, so that other bytes can be appended.
    mutating func prepare(at index: Int, into output: inout [UInt8]) {
      output.append(bytes, in: start..<index)
      (start, isChanged) = (index, true)
    }

    mutating func finish(into output: inout [UInt8]) -> StageResult {
      guard isChanged else { return .unchanged }
      output.append(bytes, in: start..<bytes.count)
      return .changed
    }
  }

  /// Whether nothing is kept, so that without rules bytes pass.
  private var passes: Bool {
    shownCount == line.count && run == nil && styles.isEmpty && modes.isEmpty
      && (ending == nil || ending == .shown)
  }

  /// Passes a piece without rules.
  private mutating func pass(_ bytes: UnsafeRawBufferPointer) -> StageResult {
    noteSequences(in: bytes)
    let last = bytes[bytes.count - 1]
    let isAfterReturn =
      bytes.count > 1 ? bytes[bytes.count - 2] == .carriageReturn : ending == .shown && isAtMargin
    beginLine()
    ending = last == .carriageReturn ? .shown : nil
    isAtMargin = last == .carriageReturn || (last == .lineFeed && isAfterReturn)
    // Without the beginning of a line, the rest cannot be judged.
    isFree = last != .lineFeed && last != .carriageReturn
    return .unchanged
  }

  /// Begins an empty line.
  private mutating func beginLine() {
    line.removeAll(keepingCapacity: true)
    (shownCount, drawn, isHeld, isFree, hasHiddenReturn) = (0, nil, false, false, false)
  }

  /// The position of the first CR or LF; the end if there is none.
  private static func endOfLine(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = PlainText.printableEnd(in: bytes, from: start)
    while index < bytes.count, bytes[index] != .lineFeed, bytes[index] != .carriageReturn {
      index = PlainText.printableEnd(in: bytes, from: index + 1)
    }
    return index
  }

  /// The position of the first escape sequence; nil if there is none.
  private static func escape(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var index = PlainText.printableEnd(in: bytes, from: start)
    while index < bytes.count, bytes[index] != .escape {
      index = PlainText.printableEnd(in: bytes, from: index + 1)
    }
    return index < bytes.count ? index : nil
  }

  // MARK: An unfinished line

  /// Adds the last part of a piece to the unfinished line, and shows what may be shown.
  private mutating func extend(
    by part: Range<Int>, of piece: inout Piece, into output: inout [UInt8]
  ) {
    if isFree { return }
    line.append(piece.bytes, in: part)
    if line.count > Self.lineLimit || draws(part, of: piece.bytes) {
      showUnfinished(upTo: part, of: &piece, into: &output)
      beginLine()
      isFree = true
      return
    }
    if !isHeld, isHiddenEarly {
      isHeld = shownCount == 0 || erase(at: part.lowerBound, of: &piece, into: &output)
    }
    if isHeld || (shownCount == 0 && waitsForEnd) {
      piece.skip(part, into: &output)
    } else {
      showUnfinished(upTo: part, of: &piece, into: &output)
    }
  }

  /// Whether the level of the unfinished line is known, and hidden.
  private var isHiddenEarly: Bool {
    guard rules.level != nil, line.count <= Self.earlyLimit else { return false }
    var text = LineText()
    return line.withUnsafeBytes { text.with($0, judge.hides(unfinished:)) }
  }

  /// Whether an unfinished line of which nothing is shown waits for its end.
  private var waitsForEnd: Bool { (rules.hidesLines && !screen.draws) || mayRepeat }

  /// Whether the unfinished line is the beginning of the line before.
  private var mayRepeat: Bool {
    guard rules.collapses, let run, run.isOpen, line.count <= 2 * Self.equalLimit else {
      return false
    }
    var text = LineText()
    return line.withUnsafeBytes { bytes in
      text.with(bytes) { $0.count <= run.text.count && run.text.starts(with: $0) }
    }
  }

  /// Shows the unfinished line, whose last part is in the piece, and is passed.
  private mutating func showUnfinished(
    upTo part: Range<Int>, of piece: inout Piece, into output: inout [UInt8]
  ) {
    if shownCount == 0 {
      beginText(at: part.lowerBound, of: &piece, into: &output)
      drawn = beginning
    }
    let held = shownCount..<(line.count - part.count)
    if !held.isEmpty {
      piece.prepare(at: part.lowerBound, into: &output)
      output += line[held]
    }
    line.withUnsafeBytes { bytes in
      noteSequences(in: UnsafeRawBufferPointer(rebasing: bytes[shownCount...]))
      drawn?.add(UnsafeRawBufferPointer(rebasing: bytes[shownCount...]))
    }
    shownCount = line.count
  }

  /// The place before a line; nil if it cannot be erased later.
  private var beginning: DrawnLine? {
    guard screen.draws, isAtMargin, wraps else { return nil }
    let columns = screen.size().columns
    return columns > 0 ? DrawnLine(margin: margin, columns: columns) : nil
  }

  /// Erases the part of the unfinished line that was shown.
  ///
  /// - Returns: whether this is possible.
  private mutating func erase(
    at index: Int, of piece: inout Piece, into output: inout [UInt8]
  ) -> Bool {
    let size = screen.size()
    guard let drawn, let rows = drawn.rowsAbove, drawn.columns == size.columns, rows < size.rows,
      rows == 0 || !hasRegion, wraps, !hasBackground
    else { return false }
    piece.prepare(at: index, into: &output)
    drawn.erase(into: &output)
    (shownCount, self.drawn, isAtMargin) = (0, nil, true)
    return true
  }

  // MARK: The end of a line

  /// Judges the line that ends with a part of the piece, and shows or hides it.
  ///
  /// - Returns: what happens to its line end.
  private mutating func finish(
    with part: Range<Int>, of piece: inout Piece, into output: inout [UInt8]
  ) -> Ending {
    defer { beginLine() }
    if isFree {
      noteSequences(in: UnsafeRawBufferPointer(rebasing: piece.bytes[part]))
      isAtMargin = false
      return .shown
    }
    if line.isEmpty {
      let whole = UnsafeRawBufferPointer(rebasing: piece.bytes[part])
      return finish(whole, with: part, of: &piece, into: &output)
    }
    line.append(piece.bytes, in: part)
    let whole = line
    return whole.withUnsafeBytes { finish($0, with: part, of: &piece, into: &output) }
  }

  private mutating func finish(
    _ whole: UnsafeRawBufferPointer, with part: Range<Int>, of piece: inout Piece,
    into output: inout [UInt8]
  ) -> Ending {
    let isPlain = Self.escape(in: whole, from: 0) == nil
    let isJudged = whole.count <= Self.lineLimit && (isPlain || !draws(whole))
    if isJudged, rules.hidesLines, !text.with(whole, { judge.shows($0) }),
      shownCount == 0 || erase(at: part.lowerBound, of: &piece, into: &output)
    {
      if !isPlain { keepSequences(in: whole, at: part.lowerBound, of: &piece, into: &output) }
      piece.skip(part, into: &output)
      hiddenCount += 1
      return .hidden
    }
    let equal = isJudged && rules.collapses ? equalText(of: whole) : nil
    if let equal, let run, run.isOpen, shownCount == 0, equal == run.text {
      self.run?.count += 1
      if !isPlain { keepSequences(in: whole, at: part.lowerBound, of: &piece, into: &output) }
      piece.skip(part, into: &output)
      return .repeated
    }
    if line.isEmpty {
      beginText(at: part.lowerBound, of: &piece, into: &output)
      if equal != nil { drawn = beginning }
      if !isPlain { noteSequences(in: whole) }
      if equal != nil { drawn?.add(whole) }
    } else {
      showUnfinished(upTo: part, of: &piece, into: &output)
    }
    // A CR of an empty line has moved the cursor there, or was left out with the line end before.
    if !whole.isEmpty { isAtMargin = false }
    if hasHiddenReturn, whole.isEmpty {
      piece.prepare(at: part.lowerBound, into: &output)
      output.append(.carriageReturn)
    }
    guard let equal else { return .shown }
    run = Run(equal, at: drawn)
    return .held
  }

  /// The text of a line that equal lines may follow; nil for an empty or long line.
  private mutating func equalText(of whole: UnsafeRawBufferPointer) -> [UInt8]? {
    text.with(whole) { (1...Self.equalLimit).contains($0.count) ? Array($0) : nil }
  }

  /// Handles the byte after a line, or after its CR.
  ///
  /// - Returns: whether the byte belongs to the line end.
  private mutating func end(
    _ ending: Ending, with byte: UInt8, at index: Int, of piece: inout Piece,
    into output: inout [UInt8]
  ) -> Bool {
    guard byte == .carriageReturn || byte == .lineFeed else {
      // The line has ended with CR. The next one overwrites it.
      self.ending = nil
      if ending == .held { release(at: index, of: &piece, into: &output) }
      return false
    }
    switch ending {
    case .hidden, .repeated: piece.skip(index..<(index + 1), into: &output)
    case .held where run.map { $0.end.count < Self.endLimit } ?? false:
      if byte == .carriageReturn { isAtMargin = true }
      run?.end.append(byte)
      piece.skip(index..<(index + 1), into: &output)
    case .shown, .held:
      release(at: index, of: &piece, into: &output)
      self.ending = .shown
      if byte == .carriageReturn { isAtMargin = true }
    }
    if byte == .lineFeed { (lastEnding, self.ending) = (ending, nil) }
    return true
  }

  /// Handles a CR in an empty line: it belongs to the line end before.
  private mutating func passReturn(
    at index: Int, of piece: inout Piece, into output: inout [UInt8]
  ) {
    switch lastEnding {
    case .hidden, .repeated:
      hasHiddenReturn = true
      return piece.skip(index..<(index + 1), into: &output)
    case .held where run.map { $0.end.count < Self.endLimit } ?? false:
      run?.end.append(.carriageReturn)
      piece.skip(index..<(index + 1), into: &output)
    case .shown, .held:
      release(at: index, of: &piece, into: &output)
      lastEnding = .shown
    }
    isAtMargin = true
  }

  // MARK: Before text

  /// Puts out what must precede text: the line end that was held back, and the styles of
  /// hidden lines.
  private mutating func beginText(
    at index: Int, of piece: inout Piece, into output: inout [UInt8]
  ) {
    release(at: index, of: &piece, into: &output)
    if styles.isEmpty && modes.isEmpty { return }
    piece.prepare(at: index, into: &output)
    putSequences(into: &output)
  }

  private mutating func putSequences(into output: inout [UInt8]) {
    output += modes + styles
    modes.removeAll(keepingCapacity: true)
    styles.removeAll(keepingCapacity: true)
  }

  /// Puts out the line end that was held back, after the number of equal lines.
  private mutating func release(
    at index: Int, of piece: inout Piece, into output: inout [UInt8]
  ) {
    guard run != nil else { return }
    piece.prepare(at: index, into: &output)
    release(into: &output)
  }

  private mutating func release(into output: inout [UInt8]) {
    guard let run else { return }
    self.run = nil
    if run.isNumberMissing { put(numberOf: run, into: &output) }
    if run.cursor != .inEmptyLine || run.isNumberMissing { output += run.end }
  }

  /// Rewrites the number of equal lines behind the line, where there is room.
  private mutating func rewriteNumber(
    in piece: inout Piece, at index: Int, into output: inout [UInt8]
  ) {
    guard let run, run.isOpen, run.isNumberMissing, let place = run.place,
      place.columns == screen.size().columns, place.hasRoom(for: Self.numberWidth(run.count))
    else { return }
    piece.prepare(at: index, into: &output)
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

  // MARK: Escape sequences

  /// Whether a part of a piece moves the cursor.
  private func draws(_ part: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
    draws(UnsafeRawBufferPointer(rebasing: bytes[part]))
  }

  private func draws(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isDrawing = false
    Self.forEachSequence(in: bytes) { if LineSequence($0) == .drawing { isDrawing = true } }
    return isDrawing
  }

  private static func forEachSequence(
    in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var start = 0
    while let found = escape(in: bytes, from: start) {
      let end = LineSequence.end(in: bytes, from: found)
      body(UnsafeRawBufferPointer(rebasing: bytes[found..<end]))
      start = end
    }
  }

  /// Keeps the styles and modes of a hidden line that were not put out.
  private mutating func keepSequences(
    in whole: UnsafeRawBufferPointer, at index: Int, of piece: inout Piece,
    into output: inout [UInt8]
  ) {
    let hidden = UnsafeRawBufferPointer(rebasing: whole[shownCount...])
    noteSequences(in: hidden)
    Self.forEachSequence(in: hidden) { sequence in
      switch LineSequence(sequence) {
      case .style:
        if LineSequence.beginsWithReset(sequence) { styles.removeAll(keepingCapacity: true) }
        styles += sequence
      case .mode: modes += sequence
      case .edit, .drawing: break
      }
    }
    if styles.count + modes.count > Self.heldSequenceLimit {
      piece.prepare(at: index, into: &output)
      putSequences(into: &output)
    }
  }

  /// Records the modes that determine whether a line can be erased.
  private mutating func noteSequences(in bytes: UnsafeRawBufferPointer) {
    Self.forEachSequence(in: bytes) { sequence in
      guard sequence.count > 2, let final = sequence.last else { return }
      if LineSequence(sequence) == .style {
        hasBackground = LineSequence.colours(sequence, after: hasBackground)
      }
      guard final == UInt8(ascii: "h") || final == UInt8(ascii: "l") || final == UInt8(ascii: "r")
      else { return }
      guard let control = ControlSequence(sequence) else { return }
      if control.final == "r" { hasRegion = !control.parameters.isEmpty }
      if control.concerns(mode: 7) { wraps = control.final == "h" }
    }
  }

  // MARK: Pauses and other text

  /// Whether an unfinished line or a number waits for more bytes.
  public var isWaiting: Bool {
    (!line.isEmpty && shownCount < line.count && !isHeld)
      || run.map { $0.isNumberMissing || (!screen.draws && $0.hasEnded) } ?? false
  }

  /// Shows an unfinished line and a number that wait. A line that is known to be hidden
  /// stays hidden.
  public mutating func flush(into output: inout [UInt8]) {
    let isLineWaiting = !line.isEmpty && shownCount < line.count && !isHeld
    if isLineWaiting || isWaiting { release(into: &output) }
    putSequences(into: &output)
    guard isLineWaiting else { return }
    drawn = beginning
    line.withUnsafeBytes { bytes in
      noteSequences(in: bytes)
      drawn?.add(bytes)
    }
    output += line[shownCount...]
    shownCount = line.count
  }

  /// Records a moved cursor: what is on the screen cannot be erased or rewritten any more.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    drawn = nil
    self.isAtMargin = isAtMargin
    guard let run else { return }
    if ending == .held, isAtMargin {
      // Its line has ended. The rest of the line end is not needed.
      self.run = nil
      ending = .hidden
    } else if run.cursor != .inEmptyLine {
      self.run?.cursor = isAtMargin ? .inEmptyLine : .unknown
    }
  }
}
