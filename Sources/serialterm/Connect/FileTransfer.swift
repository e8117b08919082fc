import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage

/// Sends a file as it is, at the device's pace.
final class FileTransfer: SessionObserver {
  /// How a transfer came to its end.
  enum End: Hashable {
    /// The driver has taken all of it.
    case done
    /// The user stopped it.
    case stopped
    /// The port was closed, or lost.
    case portGone
    /// The file could not be read to its end.
    case unreadable(Errno)
  }

  /// Called with the number of bytes that the driver has taken so far.
  var onProgress: (Int) -> Void = { _ in }
  /// Called once, at the end.
  var onEnd: (End) -> Void = { _ in }

  /// The file's name, without its folder.
  let name: String
  /// The file's size when it was opened, in bytes.
  let size: Int
  private(set) var sentCount = 0
  let start = MonotonicTime.now

  private let session: Session
  private let loop: EventLoop
  private let file: OwnedDescriptor
  /// How many bytes are still queued that others had queued before; they go first.
  private(set) var foreignCount: Int
  private var isRead = false
  private var hasEnded = false
  private var isFillPending = false
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 16)

  /// Opens the file; nothing is sent before ``begin()``.
  ///
  /// - Throws: ``Failure`` when it is no file that can be read.
  init(of path: FilePath, to session: Session, on loop: EventLoop) throws(Failure) {
    do throws(Errno) {
      // O_NONBLOCK: a named pipe without a writer would keep us waiting; it is refused below.
      file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      let status = try file.borrowed.stat()
      guard status.type == .regular else {
        throw status.type == .directory ? .isDirectory : .invalidArgument
      }
      size = Int(status.size)
    } catch {
      let reason = error == .invalidArgument ? "not a file" : "\(error)"
      throw Failure(.otherFailure, "\(path): \(reason).")
    }
    name = path.lastComponent?.string ?? path.string
    self.session = session
    self.loop = loop
    foreignCount = session.queuedByteCount
  }

  deinit { piece.deallocate() }

  /// Begins to send.
  func begin() {
    session.addObserver(self)
    fill()
  }

  /// Stops; what the driver has not taken of the file is not sent. What was typed before it is.
  func stop() {
    session.discardUnsent(keeping: foreignCount)
    end(.stopped)
  }

  func session(_ session: Session, didSend bytes: RawSpan) {
    let foreign = min(foreignCount, bytes.byteCount)
    foreignCount -= foreign
    sentCount += bytes.byteCount - foreign
    onProgress(sentCount)
    guard !isFillPending else { return }
    isFillPending = true
    // A driver that takes everything at once must not keep the keys waiting.
    loop.atEndOfTurn { [weak self] in self?.fill() }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    if !new.isOpen { end(.portGone) }
  }

  /// Keeps a little queued, so that the driver never waits for the disk.
  private func fill() {
    isFillPending = false
    while !hasEnded && !isRead && session.queuedByteCount < piece.count {
      do throws(Errno) {
        switch try file.borrowed.readAvailable(into: piece) {
        case .bytes(let count): try queue(count)
        case .endOfFile, .wouldBlock: isRead = true
        }
      } catch {
        return end(.unreadable(error))
      }
    }
    if isRead && session.queuedByteCount == 0 { end(.done) }
  }

  private func queue(_ count: Int) throws(Errno) {
    // There is room: the queue is several times as large as what is kept in it.
    guard (try? session.write(UnsafeRawBufferPointer(piece).bytes.extracting(0..<count))) != nil
    else {
      throw .noMemory
    }
  }

  private func end(_ end: End) {
    guard !hasEnded else { return }
    hasEnded = true
    session.removeObserver(self)
    onEnd(end)
  }
}
