import Glibc
import Posix
package import SystemPackage

/// The file that a log is written to, opened to read it: as long as it was then, and the same file
/// also after the log is rotated, renamed or removed.
package final class LogSnapshot: Sendable {
  /// The name of the file, without its folder.
  package let name: String
  /// The length in bytes.
  package let size: Int
  private let file: OwnedDescriptor

  /// Where a log is written at a moment.
  package struct Place: Hashable, Sendable {
    let path: FilePath
    /// nil before the file is known.
    let identity: FileIdentity?
  }

  /// Opens the file. A disk may answer late or never: call it on a thread of its own.
  ///
  /// - Throws: the errors of open(2) and fstat(2). `ESTALE` if the path leads to another file:
  ///   another program has just moved the log.
  package init(of place: Place) throws(Errno) {
    let file = try OwnedDescriptor.open(
      place.path, O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)
    guard try FileIdentity(of: file.borrowed) == place.identity else { throw .staleNFSFileHandle }
    name = place.path.lastComponent?.string ?? ""
    size = Int(try file.borrowed.stat().size)
    self.file = file
  }

  /// Reads a part of the file. It is shorter if the file ends before, also because another program
  /// has truncated it. Call it on a thread of its own.
  ///
  /// - Throws: the errors of pread(2).
  package func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.clamped(to: 0..<size).count)
    var count = 0
    while count < bytes.count {
      do {
        let read = try bytes.withUnsafeMutableBytes {
          try file.borrowed.read(
            fromAbsoluteOffset: Int64(range.lowerBound + count),
            into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
        }
        guard read > 0 else { break }
        count += read
      } catch {
        throw error as? Errno ?? .ioError
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}
