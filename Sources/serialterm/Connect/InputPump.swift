import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage

/// Moves standard input to the session, at the session's pace: what its queue has no room for
/// stays where it comes from.
///
/// On a terminal it tells commands from data, and keeps listening while there is no device: what
/// is typed then is refused. From a pipe or a file it waits for the device.
final class InputPump: SessionObserver {
  /// Called with the key after the prefix.
  var onCommand: (UInt8) -> Void = { _ in }
  /// Called with bytes that were handed to the session.
  var onTyped: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// Called with the number of bytes that were typed and not sent.
  var onRefused: (Int) -> Void = { _ in }
  /// Called once, at the end of the input, with what ended it other than its end.
  var onEnd: (Errno?) -> Void = { _ in }

  private let session: Session
  private let isTerminal: Bool
  private let isReadOnly: Bool
  private let file = StandardFile(.standardInput, O_RDONLY)
  private var parser: PrefixKeyParser
  private var watch: DescriptorWatch?
  private let buffer: UnsafeMutableRawBufferPointer

  /// Creates a pump; nothing moves before ``start(on:)``.
  init(to session: Session, isTerminal: Bool, isReadOnly: Bool, prefix: PrefixKey) {
    self.session = session
    self.isTerminal = isTerminal
    self.isReadOnly = isReadOnly
    parser = PrefixKeyParser(prefix: prefix)
    buffer = .allocate(byteCount: 65_536, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Starts moving.
  ///
  /// - Throws: what epoll_ctl(2) says.
  func start(on loop: EventLoop) throws(Errno) {
    session.addObserver(self)
    watch = try loop.watch(file.descriptor, for: interest) { [unowned self] _ in read() }
  }

  /// Stops moving, for good.
  func stop() {
    session.removeObserver(self)
    watch?.cancel()
    watch = nil
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    updateInterest()
  }

  func session(_ session: Session, didSend bytes: RawSpan) { updateInterest() }

  /// How much may be read now.
  private var room: Int {
    if isReadOnly { return buffer.count }
    if !session.state.isOpen { return isTerminal ? buffer.count : 0 }
    return min(session.writeRoom, buffer.count)
  }

  private var interest: Interest { room > 0 ? .reading : [] }

  private func updateInterest() { _ = try? watch?.setInterest(interest) }

  private func read() {
    let room = room
    guard room > 0 else { return }
    let outcome: ReadOutcome
    do {
      outcome = try file.descriptor.readAvailable(into: .init(rebasing: buffer[..<room]))
    } catch {
      return end(error)
    }
    switch outcome {
    case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    case .wouldBlock: break
    case .endOfFile: end(nil)
    }
    updateInterest()
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    guard isTerminal else { return send(bytes) }
    parser.parse(bytes) { item in
      switch item {
      case .data(let data): send(data)
      case .command(let key): onCommand(key)
      }
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    if !isReadOnly, (try? session.write(bytes.bytes)) != nil {
      onTyped(bytes)
    } else {
      onRefused(bytes.count)
    }
  }

  private func end(_ error: Errno?) {
    stop()
    onEnd(error)
  }
}
