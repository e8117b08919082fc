public import Time

/// The text on the screen: received text and, with local echo, typed text.
///
/// Received bytes pass the maps, the escape filter and the highlights, or are shown in rows
/// instead. Then received and typed text pass the timestamps, because they share the lines on
/// the screen.
public struct ScreenText {
  /// Maps, escape filter and highlights. Rows bypass them.
  public private(set) var device = Pipeline()
  /// The stage of timestamps: at most a ``LineStamper``.
  public private(set) var stamps = Pipeline()
  /// Shows typed text, unless there are rows; nil for no echo.
  public var echo: LocalEcho?
  /// Shows bytes in rows, such as hexadecimal ones; nil for text.
  public var rows: (any RowView)?
  private var buffer: [UInt8] = []
  private var stamped: [UInt8] = []
  private var passed: [UInt8] = []

  /// Creates the text of a screen, without any stages.
  public init() {}

  /// Replaces stages. No bytes may wait in the old ones; see ``flush(at:_:)``.
  public mutating func setStages(device: Pipeline, stamps: Pipeline) {
    (self.device, self.stamps) = (device, stamps)
  }

  /// The bytes that undo the changes that the device has made to the terminal's state; empty if
  /// there are none.
  public var restoration: [UInt8] { device.restoration }

  /// The bytes that bring a terminal from any state into the state that the device has set; empty
  /// if that is unknown.
  public var screenState: [UInt8] { device.screenState }

  /// Removes and returns the questions of the device so far.
  public mutating func takeQuestions() -> [TerminalQuestion] { device.takeQuestions() }

  /// What the device has switched.
  public var switched: DeviceModes { device.switched }

  // Each of the following methods returns the bytes to show. Release them before the next call,
  // which reuses their memory.

  /// The text for received bytes; nil if it equals these bytes, which are not copied then.
  ///
  /// - Parameter stage: the index of the first stage of ``device`` that the bytes pass.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, from stage: Int = 0
  ) -> [UInt8]? {
    if rows != nil { return show(bytes, .fromDevice, at: moment) }
    guard let changed = device.transform(bytes, at: moment, from: stage) else {
      return pass(bytes, at: moment)
    }
    return changed.withUnsafeBytes { pass($0, at: moment) } ?? changed
  }

  /// The text for typed bytes. In rows, Enter ends the row whose bytes
  /// ``send(_:at:)`` has returned.
  public mutating func type(_ bytes: UnsafeRawBufferPointer, at moment: Moment) -> [UInt8] {
    guard echo != nil else { return [] }
    if rows != nil {
      return bytes.last == .carriageReturn || bytes.last == .lineFeed ? flush(at: moment) : []
    }
    device.cursorDidMove(toMargin: false)
    passed.removeAll(keepingCapacity: true)
    echo?.type(bytes, at: moment, through: &stamps, into: &passed)
    return passed
  }

  /// The rows for sent bytes.
  public mutating func send(_ bytes: UnsafeRawBufferPointer, at moment: Moment) -> [UInt8] {
    rows == nil ? [] : show(bytes, .toDevice, at: moment)
  }

  /// Whether bytes wait for more bytes.
  public var isWaiting: Bool { rows?.isWaiting ?? device.isWaiting }

  /// The text of waiting bytes. Call it at the end, or after a pause.
  public mutating func flush(at moment: Moment) -> [UInt8] {
    if rows != nil {
      buffer.removeAll(keepingCapacity: true)
      rows?.endRow(into: &buffer)
      return passBuffer(at: moment)
    }
    let rest = device.flush(at: moment)
    return rest.withUnsafeBytes { pass($0, at: moment) } ?? rest
  }

  /// Records that other code has written to the terminal, or moved its cursor to the first column
  /// of an empty line or to an unknown position.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    device.cursorDidMove(toMargin: isAtMargin)
    stamps.cursorDidMove(toMargin: isAtMargin)
    echo?.cursorDidMove(toMargin: isAtMargin)
  }

  private mutating func show(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, at moment: Moment
  ) -> [UInt8] {
    buffer.removeAll(keepingCapacity: true)
    rows?.show(bytes, direction, at: moment, into: &buffer)
    return passBuffer(at: moment)
  }

  private mutating func passBuffer(at moment: Moment) -> [UInt8] {
    let shown = buffer
    if rows?.writesTime == true { return shown }
    return shown.withUnsafeBytes { pass($0, at: moment) } ?? shown
  }

  /// Passes text to the lines on the screen, which have text of the device and of the user.
  ///
  /// - Returns: the bytes to show; nil if the piece is shown as it is.
  private mutating func pass(_ bytes: UnsafeRawBufferPointer, at moment: Moment) -> [UInt8]? {
    if bytes.isEmpty { return nil }
    guard echo != nil else { return stamps.transform(bytes, at: moment) }
    stamped.removeAll(keepingCapacity: true)
    passed.removeAll(keepingCapacity: true)
    stamps.append(bytes, at: moment, to: &stamped)
    stamped.withUnsafeBytes { echo?.pass($0, into: &passed) }
    return passed
  }
}
