import EventLoop
import Glibc
import Observing
import Posix
import SystemPackage
import Terminal
import Time

/// The command of `--filter`. It reads the device's bytes, and its output is shown. It may stall or
/// end at any time: nothing waits for it.
final class ScreenFilter {
  enum News {
    /// It reads too slowly, or not at all. From now on bytes are dropped.
    case overflow
    /// It reads again. The value is the number of dropped bytes.
    case resumed(missing: Int)
    /// It has ended, or cannot be used any more. The value is the number of bytes that it
    /// did not read.
    case ended(ExitStatus?, unread: Int)
  }

  private let onOutput: (UnsafeRawBufferPointer) -> Void
  private let onNews: (News) -> Void
  private let child: PipedChild
  private let loop: IOLoop
  private var input: OutputChannel?
  private var observations: [AnyObject] = []
  private var end = End()

  /// What is known about its end.
  private struct End {
    /// Nil while it runs, or if it is not known.
    var status: ExitStatus?
    /// Ends it after a short time; nil while nothing suggests that it ends.
    var timer: LoopTimer?
    /// The number of bytes that it did not read.
    var unreadCount = 0
    /// Whether it is not used any more.
    var isOver = false
  }

  /// The time that a command may continue after it closed its input or output.
  private static let closingPatience = Duration.milliseconds(100)

  /// Starts the command.
  ///
  /// - Parameters:
  ///   - onOutput: called with its output.
  ///   - onRoom: called when ``isCrowded`` is false again.
  ///   - onNews: called with events to report.
  /// - Throws: the errors of pipe(2), posix_spawn(3) and epoll_ctl(2).
  init(
    _ command: String, on loop: IOLoop, onOutput: @escaping (UnsafeRawBufferPointer) -> Void,
    onRoom: @escaping () -> Void, onNews: @escaping (News) -> Void
  ) throws(Errno) {
    self.loop = loop
    (self.onOutput, self.onNews) = (onOutput, onNews)
    child = try PipedChild(command, .init(errors: .joined, leads: .group))
    try child.follow(on: loop, outputRoom: { [unowned self] in room }) { [unowned self] in
      handle($0)
    }
    if let descriptor = child.inputDescriptor {
      let channel = try OutputChannel(descriptor, on: loop, whenFull: .leaveOutSilently)
      observations = [
        channel.gaps.observe {
          switch $0 {
          case .began: onNews(.overflow)
          case .ended(let count): onNews(.resumed(missing: count))
          }
        },
        channel.events.observe { [unowned self] in
          switch $0 {
          case .room: onRoom()
          case .gone: endSoon()
          case .drained: break
          }
        },
      ]
      input = channel
    }
  }

  /// Whether the device should pause, if it can.
  var isCrowded: Bool { input?.isCrowded ?? false }

  /// Whether reading its output is paused.
  var isPaused = false {
    didSet {
      if isPaused != oldValue { child.output?.resume() }
    }
  }

  /// Passes bytes of the device to it.
  func write(_ bytes: UnsafeRawBufferPointer) { input?.write(bytes) }

  /// The number of bytes of its output that are read in a turn. If it is about to end, what is left
  /// then is read.
  private var room: Int { isPaused || end.timer != nil ? 0 : PipeReader.capacity }

  private func handle(_ event: PipedChild.Event) {
    switch event {
    case .output(let bytes): onOutput(bytes)
    case .outputClosed: endSoon()
    case .exited(let exit):
      end.status = ExitStatus(exit)
      endSoon(after: .zero)
    case .errors, .ended: break
    }
  }

  // MARK: The end

  /// Stops using it. Its exit status is reported if it ends soon.
  private func endSoon(after time: Duration = closingPatience) {
    guard !end.isOver, end.timer == nil || time == .zero else { return }
    end.timer = loop.schedule(after: time) { [unowned self] in
      child.output?.readRest()
      let unread = close()
      onNews(.ended(end.status, unread: unread))
    }
    child.output?.resume()
  }

  /// Ends it: closes its input, waits a limited time for its output, and sends SIGTERM; see
  /// ``RunningProgram/end()``.
  ///
  /// - Returns: the number of bytes that it did not read.
  func finish(within limit: Duration) -> Int {
    guard !end.isOver else { return 0 }
    let deadline = MonotonicTime.now + limit
    var isOpen = true
    while isOpen {
      if input?.isDrained ?? false { closeInput(countingPipe: false) }
      let rest = (deadline - .now).nanoseconds / 1_000_000
      guard rest > 0 else { break }
      _ = input?.finish(within: .zero)
      // While input is queued, the wait is short. Otherwise it waits for output.
      guard let output = child.output else { break }
      var poll = pollfd(fd: output.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      let wait = input == nil ? rest : min(rest, 5)
      if Glibc.poll(&poll, 1, CInt(wait)) > 0 {
        isOpen = output.readPiece(atMost: PipeReader.capacity) != .endOfFile
      }
    }
    return close()
  }

  private func close() -> Int {
    end.isOver = true
    end.timer = nil
    closeInput(countingPipe: true)
    if end.status == nil { end.status = child.currentExit().map(ExitStatus.init) }
    child.stop()
    child.end()
    return end.unreadCount
  }

  /// - Parameter countingPipe: whether bytes in the pipe count as unread.
  private func closeInput(countingPipe: Bool) {
    guard let channel = input else { return }
    end.unreadCount = channel.unwrittenCount + (countingPipe ? child.unreadCount : 0)
    input = nil
    child.closeInput()
  }
}
