import EventLoop
import Observing
import SystemPackage
import Terminal
import TextTools

/// Passes received bytes through the command of `--filter` to the screen while the command runs.
final class FilterController {
  /// Whether the command runs.
  @Observed private(set) var isOn = false
  /// There is room again after ``isCrowded``.
  let room = Observable<Void>()

  private let command: String?
  private let view: DeviceView
  private let console: Console
  private let loop: IOLoop
  private var filter: ScreenFilter? {
    didSet { isOn = filter != nil }
  }
  private var lines: [UInt8] = []
  private var lastByte: UInt8 = 0

  /// The time that the command has to write its remaining output before it is ended.
  private static let patience = Duration.milliseconds(150)

  init(_ command: String?, to view: DeviceView, on console: Console, loop: IOLoop) {
    self.command = command
    self.view = view
    self.console = console
    self.loop = loop
  }

  /// Whether reading from the device should pause.
  var isCrowded: Bool { filter?.isCrowded ?? false }

  /// Passes received bytes to the command while it runs.
  func write(_ bytes: UnsafeRawBufferPointer) { filter?.write(bytes) }

  /// Shows the command's output. Programs end lines with LF alone, and a terminal in raw mode does
  /// not add the CR.
  private func showOutput(_ bytes: UnsafeRawBufferPointer) {
    if view.settings.showsRows { return view.show(bytes) }
    lines.removeAll(keepingCapacity: true)
    for byte in bytes {
      if byte == UInt8(ascii: "\n") && lastByte != UInt8(ascii: "\r") {
        lines.append(UInt8(ascii: "\r"))
      }
      lines.append(byte)
      lastByte = byte
    }
    lines.withUnsafeBytes { view.show($0) }
  }

  /// Resumes the command's output when the screen takes bytes again.
  func screenHasRoom() { filter?.isPaused = console.isCrowded }

  /// Starts the command, if there is one. Prints the reason if it cannot be started.
  func start() {
    guard let command, filter == nil else { return }
    do throws(Errno) {
      filter = try ScreenFilter(
        command, on: loop,
        onOutput: { [unowned self] in
          showOutput($0)
          filter?.isPaused = console.isCrowded
        },
        onRoom: { [unowned self] in room.notify(()) },
        onNews: { [unowned self] in handleNews($0) })
    } catch {
      console.warn("the filter cannot be run (\(error)): the output is shown unfiltered.")
    }
  }

  /// Ends the command, after a limited time to write its remaining output.
  func stop() {
    guard let filter else { return }
    let unread = filter.finish(within: Self.patience)
    retire()
    if unread > 0 { console.warn("\(unread.bytesWere) not taken by the filter.") }
  }

  private func retire() {
    // Released at the end of the turn, because it is calling.
    loop.atEndOfTurn { [filter] in _ = filter }
    filter = nil
    room.notify(())
  }

  private func handleNews(_ news: ScreenFilter.News) {
    switch news {
    case .overflow:
      console.warn("the filter is too slow: bytes that it does not take are not shown.")
    case .resumed(let missing):
      console.warn("the filter takes bytes again; \(missing.bytesWere) not shown.")
    case .ended(let status, let unread):
      let missing = unread > 0 ? " \(unread.bytesWere) not taken by it." : ""
      let end = status?.ofCommand ?? "takes and writes nothing any more"
      console.warn("the filter \(end): the output is shown unfiltered.\(missing)")
      retire()
    }
  }
}
