import EventLoop
import Posix
import SystemPackage

/// Reads what a client sends: a piece in a turn of the loop, and nothing while earlier bytes wait
/// to be handled or sent.
final class ClientInput {
  /// Why the client will send nothing more.
  enum End {
    /// It has disconnected. Bytes that it has sent are not read yet.
    case disconnected
    /// It has ended its stream, and all its bytes were read.
    case endOfStream
    /// It takes no output any more, and what it had sent was read: see ``ClientInput/readRest()``.
    case restRead
  }

  /// Whether the client has disconnected, or takes no output any more.
  private(set) var hasPeerEnded = false
  /// Whether nothing is read, because bytes of the client wait for room.
  var isPaused = false {
    didSet { updateInterest() }
  }

  private let descriptor: FileDescriptor
  private let loop: IOLoop
  private let handle: (UnsafeRawBufferPointer) -> Int
  private let ended: (End) -> Void
  private var watch: DescriptorWatch?
  /// Bytes that were read and are left for the next turn, because the client asks for much.
  private var unhandled: [UInt8] = []
  private var nextTurn: LoopTimer?
  /// The number of bytes that are still read from a client that is gone.
  private var readableRest = Int.max
  private var isStopped = false

  static let readSize = 16_384

  /// - Parameters:
  ///   - descriptor: borrowed.
  ///   - handle: handles bytes, and returns the number of those that it has handled. It gets the
  ///     others in the next turn, so that keys and other clients do not wait for this one.
  ///   - ended: called in a turn of the loop. It may call ``stop()``.
  init(
    _ descriptor: FileDescriptor, on loop: IOLoop,
    handle: @escaping (UnsafeRawBufferPointer) -> Int, ended: @escaping (End) -> Void
  ) {
    self.descriptor = descriptor
    self.loop = loop
    self.handle = handle
    self.ended = ended
  }

  deinit { watch?.cancel() }

  /// Starts to read.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  func start() throws(Errno) {
    watch = try loop.watch(descriptor, for: [.reading, .endOfPeer]) { [unowned self] in
      receive($0)
    }
  }

  /// Handles bytes as if they were read now.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    let count = handle(bytes)
    guard count < bytes.count, !isStopped else { return }
    unhandled = Array(bytes[count...])
    updateInterest()
    nextTurn = loop.schedule(after: .zero) { [unowned self] in
      let bytes = unhandled
      (unhandled, nextTurn) = ([], nil)
      bytes.withUnsafeBytes { receive($0) }
      if !isStopped, unhandled.isEmpty { updateInterest() }
    }
  }

  /// Reads what a client that is gone has sent by now, in as many turns as that takes. Begins at
  /// the end of the turn, because bytes of the client may be in use now.
  func readRest() {
    hasPeerEnded = true
    // A client that only takes nothing any more may send without end.
    readableRest = descriptor.availableByteCount
    loop.atEndOfTurn { [weak self] in self?.readOn() }
  }

  private func readOn() {
    guard !isStopped else { return }
    let isReadable = watch != nil && min(readableRest, descriptor.availableByteCount) > 0
    guard isReadable || !unhandled.isEmpty, !isPaused else { return ended(.restRead) }
    if takesBytes { read() }
    loop.atEndOfTurn { [weak self] in self?.readOn() }
  }

  /// Ends the watch of a stream whose end was read.
  func close() {
    hasPeerEnded = true
    watch?.cancel()
    watch = nil
  }

  /// Ends everything. No closure is called any more.
  ///
  /// - Returns: the number of the client's bytes that were not handled.
  func stop() -> Int {
    isStopped = true
    watch?.cancel()
    (watch, nextTurn) = (nil, nil)
    return unhandled.count + (hasPeerEnded ? descriptor.availableByteCount : 0)
  }

  /// Whether everything that was read is handled.
  private var takesBytes: Bool { !isPaused && unhandled.isEmpty }

  private func updateInterest() {
    watch?.setInterest(
      (takesBytes ? .reading : Interest()).union(hasPeerEnded ? [] : .endOfPeer))
  }

  private func receive(_ readiness: Readiness) {
    // At the end of a pipe, epoll reports only the hang-up.
    if takesBytes, !readiness.isDisjoint(with: [.readable, .hungUp]) { return read() }
    guard !readiness.isDisjoint(with: [.peerEnded, .hungUp]), !hasPeerEnded else { return }
    hasPeerEnded = true
    updateInterest()
    ended(.disconnected)
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(readableRest))
      switch (try? descriptor.readAvailable(into: room)) ?? .endOfFile {
      case .bytes(let count):
        if hasPeerEnded, readableRest != .max { readableRest -= count }
        receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .wouldBlock: break
      case .endOfFile: ended(.endOfStream)
      }
    }
  }
}
