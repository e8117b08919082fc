import EventLoop
import SystemPackage

/// Leads what the device sends to the screen: through the command of `--filter` while that runs, and
/// straight on otherwise.
final class FilterKeeper {
  /// Called when the command runs, or runs no more.
  var onChange: () -> Void = {}
  /// Called when there is room again after ``isCrowded``.
  var onRoom: () -> Void = {}

  private let command: String?
  private let view: DeviceView
  private let console: Console
  private let loop: EventLoop
  private var filter: ScreenFilter?
  private var lines: [UInt8] = []
  private var lastByte: UInt8 = 0
  /// Commands that were told to end and may not have ended yet: somebody must take note of it.
  private var retired: [ScreenFilter] = []

  /// How long the command may take to show what it has when it is to end.
  private static let patience = Duration.milliseconds(150)

  init(_ command: String?, to view: DeviceView, on console: Console, loop: EventLoop) {
    self.command = command
    self.view = view
    self.console = console
    self.loop = loop
  }

  /// Whether the command runs.
  var isOn: Bool { filter != nil }

  /// Whether the device ought to hold back, if it can.
  var isCrowded: Bool { filter?.isCrowded ?? false }

  /// Shows bytes that the device sent.
  func show(_ bytes: UnsafeRawBufferPointer) {
    if let filter { filter.write(bytes) } else { view.show(bytes) }
  }

  /// Shows what the command has put out. Programs end their lines with LF alone, and leave the CR to
  /// the terminal, which is in raw mode here.
  private func showOutput(_ bytes: UnsafeRawBufferPointer) {
    if view.settings.isHex { return view.show(bytes) }
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

  /// The screen takes bytes again.
  func screenHasRoom() { filter?.isPaused = console.isCrowded }

  /// Starts the command, if there is one; says why not if it cannot be.
  func start() {
    guard let command, filter == nil else { return }
    retired.removeAll { $0.hasExited }
    do throws(Errno) {
      let filter = try ScreenFilter(command, on: loop)
      filter.onOutput = { [unowned self, unowned filter] in
        showOutput($0)
        filter.isPaused = console.isCrowded
      }
      filter.onRoom = { [unowned self] in onRoom() }
      filter.onNews = { [unowned self] in tell($0) }
      self.filter = filter
    } catch {
      console.warn("the filter cannot be run (\(error)): what comes is shown as it is.")
    }
    onChange()
  }

  /// Ends the command, after a limited time to show what it has.
  func stop() {
    guard let filter else { return }
    let unread = filter.finish(within: Self.patience)
    retire()
    if unread > 0 { console.warn("\(unread.grouped) bytes were not taken by the filter.") }
  }

  private func retire() {
    if let filter { retired.append(filter) }
    filter = nil
    onChange()
    onRoom()
  }

  private func tell(_ news: ScreenFilter.News) {
    switch news {
    case .overflow:
      console.warn("the filter is too slow: what it does not take is not shown.")
    case .goesOn(let missing):
      console.warn("the filter takes bytes again; \(missing.grouped) are not shown.")
    case .ended(let status, let unread):
      let missing = unread > 0 ? " \(unread.grouped) bytes were not taken by it." : ""
      console.warn("the filter \(words(for: status)): what comes is shown as it is.\(missing)")
      retire()
    }
  }

  private func words(for status: ExitStatus?) -> String {
    switch status {
    case .signal(let number): "was ended by signal \(number)"
    case let status?: "has ended with \(status.code)"
    case nil: "takes and shows nothing any more"
    }
  }
}
