package import Encodings
import Telnet
import TextStages
import Time

/// The terminal of a session's user.
package protocol UserTerminalSize: AnyObject {
  /// The rows and columns that it has for the device's text.
  var textSize: (rows: Int, columns: Int) { get }
}

/// The screen that a device has drawn, for those who join the session later.
///
/// A full-screen program draws its screen once, and then only what changes. So a latecomer needs
/// the screen itself, not what the program has sent last. It is that of a terminal that shows
/// nothing else: the views, panels and messages of the local user do not matter.
package final class DeviceScreen {
  /// The encoding of the device's text. Before a change, what waits is read.
  package var encoding = Encoding.utf8 {
    willSet {
      guard newValue != encoding else { return }
      read()
      // It was converted before, when the option was read: only a lack of memory is left.
      decoder = newValue.isUTF8 ? nil : try? DecodingStage(newValue)
    }
  }
  /// The terminal whose size the screen has; nil for the usual size.
  package weak var terminal: (any UserTerminalSize)?

  /// The bytes that were not read yet, and those before them, which have no sequences.
  private var (unread, plain): ([UInt8], [UInt8]) = ([], [])
  /// Whether bytes before those were dropped.
  private var hasGap = false
  private var decoder: DecodingStage?
  private var filter = EscapeFilter()
  /// When the last bytes arrived, in nanoseconds of the monotonic clock.
  private var lastArrival: UInt64 = 0
  private var shown = ShownScreen(rows: usualSize.rows, columns: usualSize.columns)
  private var shownSize = DeviceScreen.usualSize
  private var decoded: [UInt8] = []
  private var text: [UInt8] = []

  /// The size of a VT100, which a device assumes unless somebody tells it another one.
  static let usualSize = (rows: 24, columns: 80)
  /// The maximum number of bytes that show a screen. A larger one is not shown. The history for a
  /// person who joins gets what the screen leaves of ``ReceivedHistory/messageLimit``.
  static let limit = 98_304
  /// The silence after which an unfinished sequence is text, in nanoseconds.
  private static let textPause: UInt64 = 500_000_000
  /// The number of bytes that are read together.
  private static let block = 65_536

  init() {
    filter = EscapeFilter { [unowned self] in (shownSize.columns, shownSize.rows) }
    shown.state = { [unowned self] in filter.screenState }
    // Nobody has seen what is there before: it is empty.
    shown.add(Array("\u{1B}[H\u{1B}[2J".utf8))
    _ = shown.read()
  }

  /// Adds bytes of the device.
  ///
  /// - Parameter time: when they arrived, in nanoseconds of the monotonic clock.
  func receive(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
    if time &- lastArrival > Self.textPause { endSequence() }
    lastArrival = time
    unread.append(contentsOf: bytes)
    if unread.count >= Self.block { makeRoom() }
  }

  /// Takes an unfinished sequence for text, as the user's view does after a pause.
  private func endSequence() {
    read()
    if decoder?.isWaiting == true {
      decoded.removeAll(keepingCapacity: true)
      decoder?.flush(into: &decoded)
      decoded.withUnsafeBytes { show($0) }
    }
    text.removeAll(keepingCapacity: true)
    filter.flush(into: &text)
    if !text.isEmpty { shown.add(text) }
  }

  private func makeRoom() {
    // Lines without sequences leave nothing but themselves: the last ones are enough.
    guard decoder == nil, filter.isAtRest, !shown.mayBeDrawn,
      unread.withUnsafeBytes({ EscapeFilter.isWithoutSequences($0) })
    else { return read() }
    hasGap = hasGap || !plain.isEmpty
    swap(&plain, &unread)
    unread.removeAll(keepingCapacity: true)
  }

  private func read() {
    fit()
    if hasGap { shown.forget() }
    hasGap = false
    plain.withUnsafeBytes { decode($0) }
    plain.removeAll(keepingCapacity: true)
    unread.withUnsafeBytes { decode($0) }
    unread.removeAll(keepingCapacity: true)
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) {
    guard decoder != nil else { return show(bytes) }
    decoded.removeAll(keepingCapacity: true)
    decoder?.decode(bytes, into: &decoded)
    decoded.withUnsafeBytes { show($0) }
  }

  private func show(_ bytes: UnsafeRawBufferPointer) {
    text.removeAll(keepingCapacity: true)
    switch filter.transform(bytes, at: Moment(wallClock: 0, monotonic: 0), into: &text) {
    case .unchanged: shown.add(bytes)
    case .changed: shown.add(text)
    }
  }

  private func fit() {
    let size = terminal?.textSize ?? Self.usualSize
    guard size != shownSize else { return }
    shownSize = size
    shown.resize(0..<size.rows, rows: size.rows, columns: size.columns, keepsLines: true)
  }

  /// The messages for a person who joins: what the device sent last, and its screen if a
  /// full-screen program draws there.
  func messages(with pieces: [ReceivedHistory.Piece]) -> [SharingMessage] {
    guard let cells = drawnCells else { return ReceivedHistory.messages(of: pieces) }
    let (before, drawn) = divided(pieces)
    let screen = messages(of: filter.replay(cells, withMain: before.isEmpty))
    guard !screen.isEmpty else { return ReceivedHistory.messages(of: pieces) }
    var room = ReceivedHistory.messageLimit - ReceivedHistory.size(of: screen)
    let last = ReceivedHistory.messages(of: drawn, atMost: room)
    room -= ReceivedHistory.size(of: last)
    return ReceivedHistory.messages(of: before, atMost: room) + screen + last + [.screen([])]
  }

  /// The messages with the screen, if a full-screen program draws there.
  func messages() -> [SharingMessage] {
    guard let cells = drawnCells else { return [] }
    let screen = messages(of: filter.replay(cells, withMain: true))
    return screen.isEmpty ? [] : screen + [.screen([])]
  }

  private var drawnCells: ScreenCells? {
    read()
    guard let cells = shown.readDrawn(), !cells.isTooSmall else { return nil }
    return cells
  }

  /// The parts of what shows a screen; none if it is too large.
  private func messages(of screen: [UInt8]) -> [SharingMessage] {
    guard screen.count <= Self.limit else { return [] }
    return stride(from: 0, to: screen.count, by: SharingMessage.historyLimit).map {
      .screen(Array(screen[$0...].prefix(SharingMessage.historyLimit)))
    }
  }

  /// The pieces before what the program has drawn, and those of it.
  private func divided(
    _ pieces: [ReceivedHistory.Piece]
  ) -> ([ReceivedHistory.Piece], [ReceivedHistory.Piece]) {
    // Without its beginning, the program has drawn all of it.
    var rest = pieces.flatMap(\.bytes).withUnsafeBytes {
      DrawingSearch.countBefore(in: $0, rows: shownSize.rows, columns: shownSize.columns) ?? 0
    }
    var (before, drawn): ([ReceivedHistory.Piece], [ReceivedHistory.Piece]) = ([], [])
    for piece in pieces {
      let count = min(rest, piece.bytes.count)
      rest -= count
      if count > 0 { before.append(.init(time: piece.time, bytes: Array(piece.bytes[..<count]))) }
      if count < piece.bytes.count {
        drawn.append(.init(time: piece.time, bytes: Array(piece.bytes[count...])))
      }
    }
    return (before, drawn)
  }
}
