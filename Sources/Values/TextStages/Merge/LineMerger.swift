import TextTools
public import Time

/// Merges the texts of several ports into one text, line by line, each with the label of its port.
///
/// ## Principles of operation
///
/// - A line is written when it is complete, so that lines are never split. Lines are in the
///   order of their completion. If a port is silent, its part of a line is written before text
///   that arrives later.
/// - With a stamper, each row begins with the time of its first byte, before the label.
/// - If a port stops in the middle of a line, as at a prompt, that part is shown after a pause, in
///   the last row, which is then open. Further text of the port continues the row.
/// - When another port has a line, the open row of the focused port is moved below it. The row of
///   another port, or a row that cannot be erased, ends there, and its rest gets a new row.
/// - Each port keeps its colours from line to line. They never affect another port's lines,
///   or a label.
///
/// The text must have passed an ``EscapeFilter`` that permits only colours.
public struct LineMerger {
  /// The style of the lines.
  public struct Style: Hashable, Sendable {
    /// The line end: CR LF on a terminal in raw mode.
    public var lineEnd: String
    /// Whether colours may be written.
    public var hasColours: Bool
    /// Whether a row can be erased.
    public var canErase: Bool

    /// Creates a style.
    public init(lineEnd: String, hasColours: Bool, canErase: Bool) {
      (self.lineEnd, self.hasColours, self.canErase) = (lineEnd, hasColours, canErase)
    }
  }

  /// The port with the focus; nil if no user types. Its unfinished line is shown again after the
  /// lines of other ports, and when the port gets the focus.
  public var focus: Int? = 0 {
    didSet { if focus != oldValue { recallLine() } }
  }
  /// The width of the screen in columns. A longer row cannot be erased.
  public var columns = 80

  private let style: Style
  /// Writes the time of a row's first byte.
  private var stamper: LineStamper?
  private var ports: [Port] = []
  /// The port whose unfinished line is in the last row, followed by the cursor.
  private var open: Int?

  /// The pause for a screen, in nanoseconds. The pause of the focused port is so short that a user
  /// does not notice it.
  public static let pause: UInt64 = 100_000_000
  static let focusedPause: UInt64 = 20_000_000
  /// The maximum part of a line that waits for its end, in bytes.
  static let limit = 4_096

  private struct Port {
    var label: [UInt8] = []
    /// The number of columns of the label.
    var width = 0
    /// The part of a line that is not permanently written.
    var pending: [UInt8] = []
    /// The length of the part that is in the open row, and whether a CR ends it, which was not
    /// written.
    private(set) var (shownCount, isShownReturned) = (0, false)
    private var isReturned = false
    /// The time of the first byte of the part.
    var start = Moment(wallClock: 0, monotonic: 0)
    /// The time of the last bytes, by the monotonic clock.
    var last: UInt64 = 0
    /// The colours at the beginning of the part.
    var rendition = Rendition()
    /// The permanently written part of an incomplete line, and the colours at its beginning.
    var cut: [UInt8] = []
    var cutRendition = Rendition()

    init() {}

    mutating func append(_ part: ScreenPart, at moment: Moment) {
      if pending.isEmpty { start = moment }
      // A CR in an empty row does nothing.
      isReturned = part.kind == .carriageReturn && !pending.isEmpty
      if isReturned || part.kind != .carriageReturn { pending += part.bytes }
    }

    mutating func markShown() { (shownCount, isShownReturned) = (pending.count, isReturned) }

    mutating func markHidden() { (shownCount, isShownReturned) = (0, false) }
  }

  /// Creates a merger without ports.
  ///
  /// - Parameter stamper: writes the time at the beginning of each row; nil for no times.
  public init(_ style: Style, stamper: LineStamper? = nil) {
    self.style = style
    self.stamper = stamper
  }

  /// Replaces the labels, one for each port, in order. New ports have no text yet.
  ///
  /// - Parameter names: the names, of any width. Labels are padded to the longest one.
  public mutating func label(_ names: [String]) {
    let longest = names.map(\.displayWidth).max() ?? 0
    for (index, name) in names.enumerated() {
      if index == ports.count { ports.append(Port()) }
      let text = "\(name.padded(toWidth: longest)) |"
      ports[index].label = Array(
        (style.hasColours ? "\u{1B}[\(Self.colour(of: index))m\(text)\u{1B}[0m " : "\(text) ").utf8)
      ports[index].width = longest + 3
    }
  }

  /// The SGR parameter of a port's colour: cyan, yellow, green, magenta, blue, red, then again
  /// from the start.
  public static func colour(of index: Int) -> Int { [36, 33, 32, 35, 34, 31][index % 6] }

  /// The width of the labels, in columns.
  public var labelWidth: Int { ports.first?.width ?? 0 }

  // MARK: Text

  /// Adds text of a port.
  ///
  /// - Parameters:
  ///   - moment: the time of the read.
  ///   - output: the array to which the bytes to write are appended.
  public mutating func add(
    _ bytes: UnsafeRawBufferPointer, from port: Int, at moment: Moment, into output: inout [UInt8]
  ) {
    writeSilent(besides: port, at: moment.monotonic, into: &output)
    ports[port].last = moment.monotonic
    for part in ScreenParts(bytes) {
      if part.kind == .lineFeed {
        if ports[port].pending.isEmpty { ports[port].start = moment }
        endLine(of: port, isComplete: true, into: &output)
      } else {
        ports[port].append(part, at: moment)
      }
    }
    if ports[port].pending.count > Self.limit { endLine(of: port, into: &output) }
    if open == port { continueRow(into: &output) }
    reopen(into: &output)
  }

  /// The time at which ``tick(at:into:)`` is due, by the monotonic clock; nil if nothing waits.
  public var deadline: UInt64? {
    ports.indices.compactMap { isHolding($0) ? endOfPause(of: $0) : nil }.min()
  }

  /// Shows the unfinished lines of silent ports.
  public mutating func tick(at now: UInt64, into output: inout [UInt8]) {
    for port in silentPorts(at: now) where isHolding(port) {
      if port == focus || open == nil {
        endRow(into: &output)
        openRow(of: port, into: &output)
      } else {
        endLine(of: port, into: &output)
      }
    }
    reopen(into: &output)
  }

  /// Whether a part of a port's line was not written.
  public func isHolding(_ port: Int) -> Bool { ports[port].shownCount < ports[port].pending.count }

  /// Ends the last row if it is open. Further text of its port gets a new row.
  public mutating func endOpenRow(into output: inout [UInt8]) {
    if let open { endLine(of: open, into: &output) }
  }

  /// Writes all remaining text, and ends the last row.
  public mutating func finish(into output: inout [UInt8]) {
    for port in ports.indices where isHolding(port) && port != open {
      endLine(of: port, into: &output)
    }
    endOpenRow(into: &output)
  }

  /// Records that other code has written to the terminal, and has ended the open row.
  public mutating func cursorDidMove() {
    guard let open else { return }
    ports[open].markHidden()
    self.open = nil
  }

  // MARK: Rows

  private func pause(of port: Int) -> UInt64 {
    port == focus ? Self.focusedPause : Self.pause
  }

  /// The time at which a port counts as silent. A moment may come from a file or another process,
  /// so it is clamped.
  private func endOfPause(of port: Int) -> UInt64 {
    let (end, isOver) = ports[port].last.addingReportingOverflow(pause(of: port))
    return isOver ? .max : end
  }

  /// The silent ports with an unfinished line, in the order in which they became silent.
  private func silentPorts(at now: UInt64) -> [Int] {
    ports.indices
      .filter { !ports[$0].pending.isEmpty && now >= endOfPause(of: $0) }
      .sorted { ports[$0].last < ports[$1].last }
  }

  /// Writes the earlier text of silent ports, before text of a port.
  private mutating func writeSilent(
    besides port: Int, at now: UInt64, into output: inout [UInt8]
  ) {
    for silent in silentPorts(at: now) where silent != port && silent != open && silent != focus {
      endLine(of: silent, into: &output)
    }
  }

  /// Writes the pending part of a port, which is complete or was cut, and ends the row.
  private mutating func endLine(
    of port: Int, isComplete: Bool = false, into output: inout [UInt8]
  ) {
    // Only the end of a cut line may be left, which needs no row.
    if isComplete && ports[port].pending.isEmpty && !ports[port].cut.isEmpty {
      return settle(port, isComplete: true)
    }
    if open == port {
      continueRow(into: &output)
    } else {
      endRow(into: &output)
      write(port, from: 0, into: &output)
    }
    open = nil
    output += style.lineEnd.utf8
    settle(port, isComplete: isComplete)
  }

  /// Shows the pending part of a port in the last row.
  private mutating func openRow(of port: Int, into output: inout [UInt8]) {
    write(port, from: 0, into: &output)
    ports[port].markShown()
    open = port
  }

  /// Writes new text in the open row.
  private mutating func continueRow(into output: inout [UInt8]) {
    guard let open, isHolding(open) else { return }
    write(open, from: ports[open].shownCount, into: &output)
    ports[open].markShown()
  }

  /// Frees the last row. A row of the focused port is erased if possible, and shown again later.
  private mutating func endRow(into output: inout [UInt8]) {
    guard let port = open else { return }
    open = nil
    if port == focus && style.canErase && rowCount(of: port) == 1 {
      output.append("\r\u{1B}[K")
      ports[port].markHidden()
      isReturning = true
    } else {
      output += style.lineEnd.utf8
      settle(port, isComplete: false)
    }
  }

  /// Whether the focused port's row was erased for a line of another port.
  private var isReturning = false

  private mutating func reopen(into output: inout [UInt8]) {
    guard isReturning else { return }
    isReturning = false
    guard let focus, open == nil, !ports[focus].pending.isEmpty else { return }
    openRow(of: focus, into: &output)
  }

  /// Marks the pending part of a port as permanently written.
  private mutating func settle(_ port: Int, isComplete: Bool) {
    if isComplete {
      ports[port].cut.removeAll(keepingCapacity: true)
    } else {
      if ports[port].cut.isEmpty { ports[port].cutRendition = ports[port].rendition }
      ports[port].cut += ports[port].pending
      // The end of a long line is enough for a user who returns to the port.
      ports[port].cut.removeFirst(max(0, ports[port].cut.count - Self.limit))
    }
    // Text without colours may be any bytes: no EscapeFilter is before a pipe.
    if style.hasColours { ports[port].rendition.apply(sequencesIn: ports[port].pending) }
    ports[port].pending.removeAll(keepingCapacity: true)
    ports[port].markHidden()
  }

  /// Shows the cut line of the focused port again: the prompt at which the user types.
  private mutating func recallLine() {
    guard let focus, ports.indices.contains(focus), open != focus, !ports[focus].cut.isEmpty
    else { return }
    ports[focus].pending = ports[focus].cut + ports[focus].pending
    ports[focus].rendition = ports[focus].cutRendition
    ports[focus].cut.removeAll(keepingCapacity: true)
  }

  /// The minimum number of rows of the pending part.
  private func rowCount(of port: Int) -> Int {
    // One column per byte at most: a character has at least as many bytes as columns.
    let width = ports[port].width + ports[port].pending.count
    return columns > 0 && width < columns ? 1 : 2
  }

  // MARK: Writing

  /// Writes a part of the pending text of a port, with the label if it begins a row.
  private mutating func write(_ port: Int, from start: Int, into output: inout [UInt8]) {
    let port = ports[port]
    var rendition = port.rendition
    if style.hasColours { rendition.apply(sequencesIn: Array(port.pending[..<start])) }
    if start == 0 {
      stamper?.append(timeOf: port.start, to: &output)
      output += port.label
    }
    if style.hasColours { output += rendition.sequences }
    let text = Array(port.pending[start...])
    // A CR at the end may belong to the line end. Any other one begins the row again.
    var isReturned = start > 0 && port.isShownReturned
    text.withUnsafeBytes { bytes in
      for part in ScreenParts(bytes) {
        if part.kind != .carriageReturn {
          if isReturned { output += [.carriageReturn] + port.label }
          output.append(contentsOf: part.bytes)
        }
        isReturned = part.kind == .carriageReturn
      }
    }
    if style.hasColours { rendition.apply(sequencesIn: text) }
    if style.hasColours && !rendition.sequences.isEmpty { output.append("\u{1B}[0m") }
  }
}
