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
    didSet {
      guard oldValue != encoding else { return }
      read()
      // It was converted before, when the option was read: only a lack of memory is left.
      let decoder = encoding.isUTF8 ? nil : try? DecodingStage(encoding)
      stages.stages = (decoder.map { [$0] } ?? []) + stages.stages.suffix(1)
    }
  }
  /// The terminal whose size the screen has; nil for the usual size.
  package weak var terminal: (any UserTerminalSize)?

  /// The bytes that were not read yet.
  private var unread: [UInt8] = []
  /// The decoder, where there is one, and the filter.
  private var stages = Pipeline()
  /// When the last bytes arrived, in nanoseconds of the monotonic clock.
  private var lastArrival: UInt64 = 0
  private var shown = ShownScreen(rows: usualSize.rows, columns: usualSize.columns)
  private var shownSize = DeviceScreen.usualSize

  /// The size of a VT100, which a device assumes unless somebody tells it another one.
  static let usualSize = (rows: 24, columns: 80)
  /// The maximum number of bytes that show a screen. A larger one is not shown. The history for a
  /// person who joins gets what the screen leaves of ``ReceivedHistory/messageLimit``.
  static let limit = 98_304
  /// The silence after which an unfinished sequence is text, in nanoseconds.
  private static let textPause: UInt64 = 500_000_000
  /// The number of bytes that are read together.
  private static let block = 65_536
  private static let anyMoment = Moment(wallClock: 0, monotonic: 0)

  init() {
    stages.stages = [EscapeFilter { [unowned self] in (shownSize.columns, shownSize.rows) }]
    shown.state = { [unowned self] in stages.screenState }
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
    if unread.count >= Self.block { read() }
  }

  /// Takes an unfinished sequence for text, as the user's view does after a pause.
  private func endSequence() {
    read()
    shown.add(stages.flush(at: Self.anyMoment))
  }

  private func read() {
    fit()
    unread.withUnsafeBytes { show($0) }
    unread.removeAll(keepingCapacity: true)
  }

  private func show(_ bytes: UnsafeRawBufferPointer) {
    if let text = stages.transform(bytes, at: Self.anyMoment) {
      shown.add(text)
    } else {
      shown.add(bytes)
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
  func messages(with pieces: [ReceivedHistory.Piece] = []) -> [SharingMessage] {
    read()
    guard let cells = shown.readDrawn(), let filter = stages.stages.last as? EscapeFilter else {
      return ReceivedHistory.messages(of: pieces)
    }
    let (before, drawn) = divided(pieces)
    let screen = messages(of: filter.replay(cells, withMain: before.isEmpty))
    guard !screen.isEmpty else { return ReceivedHistory.messages(of: pieces) }
    var room = ReceivedHistory.messageLimit - ReceivedHistory.size(of: screen)
    let last = ReceivedHistory.messages(of: drawn, atMost: room)
    room -= ReceivedHistory.size(of: last)
    return ReceivedHistory.messages(of: before, atMost: room) + screen + last + [.screen([])]
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
    var rest = countBefore(in: pieces.flatMap(\.bytes))
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

  /// The number of bytes before the line in which the program began to draw that draws at the end.
  /// Without its beginning, the program has drawn all of them.
  private func countBefore(in bytes: [UInt8]) -> Int {
    let screen = DeviceScreen()
    screen.terminal = terminal
    screen.fit()
    var (rest, beginning) = (bytes[...], Int?.none)
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
      rest[..<end].withUnsafeBytes { screen.show($0) }
      beginning = screen.shown.isDrawn ? beginning ?? rest.startIndex : nil
      rest = rest[end...]
    }
    return beginning ?? 0
  }
}
