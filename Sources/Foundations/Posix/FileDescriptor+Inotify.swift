package import Glibc
package import SystemPackage

extension FileDescriptor {
  /// Creates an instance of inotify(7), non-blocking and close-on-exec. The corresponding C
  /// function is `inotify_init1`.
  ///
  /// - Throws: `EMFILE` also at the user's limit of instances, fs.inotify.max_user_instances.
  package static func makeInotify() throws(Errno) -> OwnedDescriptor {
    let rawValue = try systemCall { inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC)) }
    return OwnedDescriptor(FileDescriptor(rawValue: rawValue))
  }

  /// The maximum number of reads in a turn of a loop: other processes may cause events faster than
  /// they are read.
  private static let inotifyReadLimit = 16

  /// Reads queued events of inotify(7), oldest first. After a limited number of reads, the rest
  /// keeps the descriptor readable.
  ///
  /// - Parameter body: receives each event, and the name of the entry, which is padded with zeros.
  ///   The name is valid during the call.
  package func readInotifyEvents(_ body: (inotify_event, UnsafeRawBufferPointer) -> Void) {
    let headerSize = MemoryLayout<inotify_event>.size
    // Room for at least one event: inotify(7) requires sizeof(event) + NAME_MAX + 1.
    withUnsafeTemporaryAllocation(
      byteCount: 4_096, alignment: MemoryLayout<inotify_event>.alignment
    ) { buffer in
      for _ in 0..<Self.inotifyReadLimit {
        guard case .bytes(let count)? = try? readAvailable(into: buffer) else { return }
        var offset = 0
        while offset + headerSize <= count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = offset + headerSize
          offset = min(name + Int(event.len), count)
          body(event, UnsafeRawBufferPointer(rebasing: buffer[name..<offset]))
        }
      }
    }
  }
}
