import Glibc
import Posix
package import SystemPackage

/// The file that a log is written to, opened to read it: as long as it was then, and the same file
/// also after the log is rotated, moved or removed.
package final class LogSnapshot: Sendable {
  /// The name of the file, without its folder.
  package let name: String
  /// The length in bytes.
  package let size: Int
  private let file: OwnedDescriptor

  /// Where a log is written at a moment.
  package struct Place: Sendable {
    let path: FilePath
    /// The file, open for writing; nil before it is known.
    let file: SharedDescriptor?
  }

  /// Opens the file that is being written, whatever its path leads to by now. A disk may answer
  /// late or never: call it on a thread of its own.
  ///
  /// - Throws: the errors of open(2) and fstat(2).
  package init(of place: Place) throws(Errno) {
    guard let writer = place.file else { throw .badFileDescriptor }
    let link = FilePath("/proc/self/fd/\(writer.borrowed.rawValue)")
    let file = try OwnedDescriptor.open(link, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    name = place.path.lastComponent?.string ?? ""
    size = Int(try file.borrowed.stat().size)
    self.file = file
  }

  /// Reads a part of the file. It is shorter if the file ends before, also because another program
  /// has truncated it. Call it on a thread of its own.
  ///
  /// - Throws: the errors of pread(2).
  package func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
    let part = range.clamped(to: 0..<size)
    return try file.borrowed.bytes(at: part.lowerBound, count: part.count)
  }
}
