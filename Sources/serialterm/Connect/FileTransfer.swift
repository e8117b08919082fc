import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage

/// Sends a file as it is, at the device's pace.
///
/// It has the pen while it runs. Bytes that were typed before it are sent first.
final class FileTransfer: SessionObserver {
  /// How a transfer ended.
  enum End: Hashable {
    /// The driver has taken all of it.
    case done
    /// The user stopped it.
    case stopped
    /// The session ended, or lost its port.
    case cutOff
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
  /// The number of bytes of the file that were sent.
  private(set) var sentCount = 0
  let start = MonotonicTime.now

  private let session: Session
  private let loop: IOLoop
  private let file: OwnedDescriptor
  private let author: Author
  private var pen: Session.Pen?
  /// The number of bytes of the file that were written to the session and not discarded.
  private var writtenCount = 0
  private var isRead = false
  private var isWithheld = false
  private var hasEnded = false
  private var isFillPending = false
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 16)

  /// Opens the file; ``begin()`` starts sending.
  ///
  /// - Throws: ``Failure`` if it is not a regular file, or cannot be read.
  init(of path: FilePath, to session: Session, on loop: IOLoop) throws(Failure) {
    do throws(Errno) {
      // O_NONBLOCK: a named pipe without a writer would block; it is refused below.
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
    author = .file(name)
    self.session = session
    self.loop = loop
  }

  deinit { piece.deallocate() }

  /// Starts sending.
  ///
  /// - Throws: ``SerialError``, if the port is not open or another author has the pen.
  func begin() throws(SerialError) {
    pen = try session.takePen(for: author)
    session.addObserver(self)
    onProgress(0)
    fill()
  }

  /// Stops sending. Bytes of the file that the driver has not taken are discarded; bytes that were typed
  /// before it are sent.
  func stop() {
    withhold()
    end(.stopped)
  }

  /// Writes no more of the file, because the session is about to end. The session waits for the bytes
  /// that the driver has taken, and then calls ``cutOff(discarding:)``.
  func withhold() {
    isWithheld = true
    writtenCount -= session.discardQueued(by: author)
  }

  /// Ends, because the session has discarded what it had not sent.
  ///
  /// - Parameter discarded: the bytes that the session has discarded; those of the file are removed.
  func cutOff(discarding discarded: inout UnsentBytes) {
    guard !hasEnded else { return }
    // The rest, if any, is of an earlier file with the same name.
    let own = min(discarded[author], writtenCount)
    discarded.remove(own, by: author)
    sentCount = writtenCount - own
    end(.cutOff)
  }

  func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    if author == self.author { sentCount += bytes.byteCount }
    onProgress(sentCount)
    guard !isFillPending else { return }
    isFillPending = true
    // If the driver takes everything at once, keys must still be handled.
    loop.atEndOfTurn { [weak self] in self?.fill() }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {}

  /// Keeps some bytes queued, so that the driver does not wait for the disk.
  private func fill() {
    isFillPending = false
    while canFill && session.queuedByteCount < piece.count {
      do throws(Errno) {
        switch try file.borrowed.readAvailable(into: piece) {
        case .bytes(let count): try queue(count)
        case .endOfFile, .wouldBlock: isRead = true
        }
      } catch {
        withhold()
        return end(.unreadable(error))
      }
    }
    if isRead && canEnd && session.queuedByteCount == 0 { end(.done) }
  }

  /// Without a port, the owner of the session ends the transfer.
  private var canEnd: Bool { !hasEnded && !isWithheld && session.state.isOpen }

  private var canFill: Bool { canEnd && !isRead }

  private func queue(_ count: Int) throws(Errno) {
    // Counted first: if the device is gone, the write cuts the file off.
    writtenCount += count
    do throws(SerialError) {
      try session.write(UnsafeRawBufferPointer(piece).bytes.extracting(0..<count), by: author)
    } catch {
      // There is room: the queue is several times larger than what is kept in it.
      writtenCount -= count
      throw .noMemory
    }
  }

  private func end(_ end: End) {
    guard !hasEnded else { return }
    hasEnded = true
    session.removeObserver(self)
    pen = nil
    onEnd(end)
  }
}
