package import SystemPackage

/// Wakes the event loop of another thread through a pipe. See pipe(2).
package final class WakePipe: Sendable {
  private let ends: (reader: SharedDescriptor, writer: SharedDescriptor)

  /// Creates a pipe.
  ///
  /// - Throws: the errors of pipe(2).
  package init() throws(Errno) {
    ends = try SharedDescriptor.pipe()
    ends.reader.borrowed.setNonBlocking()
    ends.writer.borrowed.setNonBlocking()
  }

  /// Readable from a ``wake()`` to the next ``clear()``.
  package var reader: FileDescriptor { ends.reader.borrowed }

  /// Makes the pipe readable.
  package func wake() {
    var byte: UInt8 = 1
    // A full pipe is readable too, so a failed write can be ignored.
    _ = withUnsafeBytes(of: &byte) { try? ends.writer.borrowed.writeAvailable($0) }
  }

  /// Empties the pipe.
  package func clear() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while case .bytes(buffer.count)? = try? reader.readAvailable(into: buffer) {}
    }
  }
}
