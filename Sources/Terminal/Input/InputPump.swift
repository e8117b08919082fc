package import EventLoop
import Glibc
import Observing
import Posix
package import SerialCore
package import SystemPackage
package import TerminalWidgets
import Time

/// What handles the input that is not data for the session.
package protocol InputPumpDelegate: AnyObject {
  /// The user has typed something, which is handled next.
  func inputDidBegin(_ input: InputPump)

  /// The key after the prefix.
  func input(_ input: InputPump, didReadCommand key: UInt8)

  /// A key after the prefix that no command can have.
  func input(_ input: InputPump, didReadOther key: Key)

  /// An escape sequence.
  func input(_ input: InputPump, didReadEscape command: EscapeParser.Command)

  /// The input has ended. This is the last call.
  ///
  /// - Parameter error: the error of a failed read; nil at the end of the input.
  func inputDidEnd(_ input: InputPump, with error: Errno?)
}

/// What typed bytes are for, if not for the session: an open dialog, an edited line.
package protocol KeyReceiver: AnyObject {
  /// Handles typed bytes.
  ///
  /// - Returns: the number of bytes that were used, at least one. The rest may be
  ///   for another receiver.
  func receive(typed bytes: UnsafeRawBufferPointer) -> Int
}

/// Passes standard input to the session, at the session's pace. Input that does not fit into its
/// queue is not read.
///
/// On a terminal it separates commands from data, and always continues to read, because the quit
/// key may follow a large paste. While the device is fast, reading pauses as with a pipe. If the
/// device is slow or takes nothing, input is read ahead until the session's queue is full. Then,
/// and while there is no device, input is refused and counted.
package final class InputPump {
  package weak var delegate: (any InputPumpDelegate)?
  /// What gets typed bytes; nil: the session.
  package weak var focus: (any KeyReceiver)? {
    didSet { updateInterest() }
  }
  /// Whether all input is refused.
  package var isRefusing: Bool {
    get { writer.isRefusing }
    set {
      writer.isRefusing = newValue
      updateInterest()
    }
  }

  /// The session that gets the input.
  package var session: Session {
    get { writer.session }
    set {
      guard newValue !== session else { return }
      writer.session = newValue
      guard watch != nil else { return }
      observeSession()
      (pace, measurement) = (InputPace(), nil)
      updateInterest()
    }
  }

  /// The key that starts a command.
  package var prefix: PrefixKey {
    get { keys.prefix }
    set { keys.prefix = newValue }
  }

  /// The key that starts a command at the start of a line.
  package var escape: EscapeKey {
    get { keys.escape }
    set { keys.escape = newValue }
  }
  /// Whether escape sequences count now. They count in text for the device, not in
  /// answers to questions.
  package var takesEscapes: Bool {
    get { keys.takesEscapes }
    set { keys.takesEscapes = newValue }
  }

  /// Sends the input that is for the session.
  package let writer: SessionWriter
  private var observations: [ObservationToken<SessionEvent>] = []
  private let file: StandardFile
  private var keys = KeyboardParser()
  private var watch: DescriptorWatch?
  private let buffer: UnsafeMutableRawBufferPointer
  private let loop: IOLoop
  private var pace = InputPace()
  /// Measures the pace; nil while it is not measured.
  private var measurement: LoopTimer?
  /// Bytes that were read and are parsed by a timer.
  private var postponed: Postponed?

  private struct Postponed {
    let bytes: [UInt8]
    let reason: Reason
    let timer: LoopTimer?

    enum Reason {
      /// The time of the turn is over. Nothing else is read before the next turn parses the bytes.
      case time
      /// They are the beginning of a key. They are parsed as they are, if nothing follows them.
      case key
    }
  }

  /// The maximum time for the keys of one turn.
  private static let patience = Duration.milliseconds(10)
  /// The time that the beginning of a key waits for the rest. A terminal sends both at once.
  private static let keyPause = Duration.milliseconds(50)

  /// The capacity that a session's queue needs.
  ///
  /// - Parameter isTerminal: whether a user types. The commands of a user must be found after a
  ///   paste. Memory that is never used costs nothing.
  package static func queueCapacity(isTerminal: Bool) -> Int {
    isTerminal ? 16 * 1_048_576 : InputPace.pauseCount
  }

  /// Creates a pump. It reads nothing before ``start()``. The user or the pipe becomes the owner
  /// of the session.
  ///
  /// - Parameters:
  ///   - source: the input; borrowed for the lifetime of the pump.
  ///   - isTerminal: whether a user types.
  package init(
    from source: FileDescriptor = .standardInput, to session: Session, isTerminal: Bool,
    isReadOnly: Bool, on loop: IOLoop
  ) {
    file = StandardFile(source, O_RDONLY)
    writer = SessionWriter(to: session, isTerminal: isTerminal, isRefusing: isReadOnly, on: loop)
    self.loop = loop
    buffer = .allocate(byteCount: 65_536, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Whether the input is open for reading.
  package var isUsable: Bool { file.isUsable }

  /// Starts to read.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  package func start() throws(Errno) {
    observeSession()
    watch = try loop.watch(file.descriptor, for: interest(with: room), isUrgent: isTerminal) {
      [unowned self] _ in
      read()
    }
  }

  /// Stops reading permanently.
  package func stop() {
    writer.flush()
    observations = []
    watch?.cancel()
    watch = nil
    (measurement, postponed) = (nil, nil)
  }

  private func observeSession() {
    observations = [
      session.observe(.stateChange) { [unowned self] _ in updateInterest() },
      session.observe(.sent) { [unowned self] in didSend($0.bytes.count) },
    ]
  }

  private func didSend(_ count: Int) {
    pace.note(count, leaving: session.queuedByteCount)
    updateInterest()
  }

  private var isTerminal: Bool { writer.isTerminal }

  /// The number of unread bytes from a program. Typed bytes that were not read stay in the terminal
  /// for the next program that reads them.
  package var unreadCount: Int {
    isTerminal || isRefusing || !file.isUsable ? 0 : file.descriptor.availableByteCount
  }

  /// The number of bytes to read now.
  private var room: Int {
    if isRefusing || focus != nil { return buffer.count }
    if !session.isOpen { return isTerminal ? buffer.count : 0 }
    let paced = pace.room(
      besides: session.queuedByteCount, in: session.writeRoom, growth: writer.growth)
    return min(paced, buffer.count)
  }

  private func interest(with room: Int) -> Interest {
    postponed?.reason != .time && room > 0 ? .reading : []
  }

  private func updateInterest() {
    guard let watch else { return }
    let room = room
    watch.setInterest(interest(with: room))
    if isTerminal && room == 0 && measurement == nil { measurePace() }
  }

  /// Reads ahead if the device turns out to be slow.
  private func measurePace() {
    pace.beginMeasuring()
    measurement = loop.schedule(after: InputPace.window) { [unowned self] in
      measurement = nil
      pace.endMeasuring()
      updateInterest()
    }
  }

  private func read() {
    let room = room
    guard room > 0 else { return }
    let start = postponed?.bytes.count ?? 0
    let end = min(start + room, buffer.count)
    let outcome: ReadOutcome
    do {
      outcome = try file.readAvailable(into: .init(rebasing: buffer[start..<end]))
    } catch {
      return self.end(error)
    }
    switch outcome {
    case .bytes(let count):
      if isTerminal { delegate?.inputDidBegin(self) }
      if let postponed { buffer.copyBytes(from: postponed.bytes) }
      postponed = nil
      if escape != .none { keys.note(start + count, at: loop.now) }
      parse(
        UnsafeRawBufferPointer(rebasing: buffer[..<(start + count)]),
        before: start + count == end ? .bytes : .unknown)
    case .wouldBlock: break
    case .endOfFile: self.end(nil)
    }
    updateInterest()
  }

  private func parse(
    _ bytes: UnsafeRawBufferPointer, before following: PrefixKeyParser.Following = .unknown
  ) {
    guard isTerminal else { return writer.send(bytes) }
    var deadline: MonotonicTime?
    var rest = bytes
    // After the quit key, no input is used.
    while watch != nil {
      if isFull(by: &deadline) { return postpone(rest, for: .time) }
      switch keys.next(in: &rest, before: following) {
      case .data(let data):
        let unused = hand(out: data, by: &deadline)
        guard unused.isEmpty else {
          keys.putBack(unused.count)
          return postpone(unused.joined(with: rest), for: .time)
        }
      case .held(let byte):
        // A single byte is always taken.
        withUnsafeBytes(of: byte) { _ = hand(out: $0, by: &deadline) }
      case .key(let key, let data): deliver(key, as: data, by: &deadline)
      // What was typed before is sent first: a command may lead to another device.
      case .command(let key):
        writer.flush()
        delegate?.input(self, didReadCommand: key)
      case .otherKey(let key): delegate?.input(self, didReadOther: key)
      case .escape(let command):
        writer.flush()
        delegate?.input(self, didReadEscape: command)
      case nil: return postpone(rest, for: .key)
      }
    }
  }

  /// Keeps bytes until more follow, or for a moment, so that other events are handled first.
  private func postpone(_ bytes: UnsafeRawBufferPointer, for reason: Postponed.Reason) {
    guard !bytes.isEmpty else { return }
    let timer = loop.schedule(after: reason == .key ? Self.keyPause : .zero) { [unowned self] in
      parsePostponed()
      updateInterest()
    }
    postponed = Postponed(bytes: Array(bytes), reason: reason, timer: timer)
  }

  private func parsePostponed() {
    guard let postponed else { return }
    self.postponed = nil
    postponed.bytes.withUnsafeBytes {
      parse($0, before: postponed.reason == .key ? .nothing : .unknown)
    }
  }

  /// Passes a key in a form that the device has switched on: the device gets these bytes, and any
  /// other receiver those that the key sends without that.
  private func deliver(
    _ key: ExtendedKey, as data: UnsafeRawBufferPointer, by deadline: inout MonotonicTime?
  ) {
    key.bytes.withUnsafeBytes { bytes in
      guard focus != nil else { return writer.send(data) }
      var rest = bytes
      while !rest.isEmpty { rest = hand(out: rest, by: &deadline) }
    }
  }

  /// Passes bytes to the receiver that has the keyboard.
  ///
  /// - Returns: the bytes that were not passed because the time of this turn is over.
  private func hand(
    out bytes: UnsafeRawBufferPointer, by deadline: inout MonotonicTime?
  ) -> UnsafeRawBufferPointer {
    var rest = bytes
    repeat {
      guard let focus else {
        writer.send(rest)
        return UnsafeRawBufferPointer(rebasing: rest.suffix(0))
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(focus.receive(typed: rest)))
    } while !rest.isEmpty && !isFull(by: &deadline)
    return rest
  }

  /// Whether the keys of this turn have used up their time, because each key may search a list.
  ///
  /// - Parameter deadline: the time at which this turn must end; nil before the first
  ///   of these keys.
  private func isFull(by deadline: inout MonotonicTime?) -> Bool {
    guard focus != nil else { return false }
    guard let time = deadline else {
      deadline = loop.now + Self.patience
      return false
    }
    return loop.now >= time
  }

  private func end(_ error: Errno?) {
    parsePostponed()
    stop()
    delegate?.inputDidEnd(self, with: error)
  }
}
