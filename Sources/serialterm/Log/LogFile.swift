import Glibc
import Posix
import SerialCore
import SystemPackage

/// Keeps what the device sent, exactly as it was read.
///
/// It is written at once, before the bytes are shown: nothing that stalls the screen delays it. What
/// cannot be written is counted, said, and never silent; writing goes on as soon as it can.
final class LogFile: SessionObserver {
  /// Called when a write fails that followed a good one, with why.
  var onFailure: (Errno) -> Void = { _ in }
  /// Called when writing goes on, with the number of bytes that are missing before it.
  var onRecovery: (Int) -> Void = { _ in }

  let path: FilePath
  /// How many bytes could not be written.
  private(set) var missingCount = 0

  private let file: OwnedDescriptor
  /// How many bytes could not be written since the last that could.
  private var gap = 0

  /// Opens a log: a file of its own, readable by its owner alone.
  ///
  /// - Parameters:
  ///   - path: the file. It is not opened through a symbolic link.
  ///   - appends: whether to add to a file that is there; without it, there must be none.
  /// - Throws: ``Failure``.
  init(_ path: FilePath, appends: Bool) throws(Failure) {
    self.path = path
    do {
      // O_NONBLOCK: a named pipe without a reader would keep us waiting; it is refused below.
      let flags =
        O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | (appends ? 0 : O_EXCL)
      file = try OwnedDescriptor.open(path, flags, permissions: 0o600)
    } catch {
      throw Failure(.logFailed, "\(path): \(Self.reason(error))")
    }
    guard (try? file.borrowed.stat().type) == .regular else {
      throw Failure(.logFailed, "\(path): not a file to log to.")
    }
  }

  private static func reason(_ error: Errno) -> String {
    switch error {
    case .fileExists: "there is such a file already; --log-append adds to it."
    case .tooManySymbolicLinkLevels: "a symbolic link, which is not followed for a log."
    case .noSuchAddressOrDevice: "not a file to log to."
    default: "the log cannot be opened (\(error))."
    }
  }

  func session(_ session: Session, didReceive bytes: RawSpan) {
    bytes.withUnsafeBytes { write($0) }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {}

  private func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(Errno) {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        guard case .bytes(let count) = try file.borrowed.writeAvailable(piece) else {
          throw Errno.wouldBlock
        }
        recover()
        rest = rest.dropFirst(count)
      } catch {
        return miss(rest.count, because: error)
      }
    }
  }

  private func miss(_ count: Int, because error: Errno) {
    let isNew = gap == 0
    gap += count
    missingCount += count
    if isNew { onFailure(error) }
  }

  private func recover() {
    guard gap > 0 else { return }
    onRecovery(gap)
    gap = 0
  }
}
