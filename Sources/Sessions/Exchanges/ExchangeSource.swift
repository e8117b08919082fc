import Glibc
import Posix
package import SystemPackage

/// A source that an exchange reads: a file or a pipe.
package protocol ExchangeSource: AnyObject {
  /// Reads the available bytes without waiting.
  ///
  /// - Parameter limit: the largest number of bytes, at least 1.
  func read(atMost limit: Int) throws(Errno) -> SourceOutcome
  /// Becomes readable when more bytes, or the end, can be read.
  var descriptor: FileDescriptor { get }
}

/// The result of reading from a source.
package enum SourceOutcome: Hashable, Sendable {
  /// Bytes, at least one.
  case bytes([UInt8])
  /// There is nothing to read now.
  case wouldBlock
  /// The end.
  case end
}

/// A regular file to read from.
package final class FileSource: ExchangeSource {
  /// The size when the file was opened, in bytes.
  package let size: Int
  private let file: OwnedDescriptor

  /// Opens a regular file.
  ///
  /// - Throws: the errors of open(2) and fstat(2); `isDirectory` for a directory; `invalidArgument`
  ///   for any other file that is not regular.
  package init(opening path: FilePath) throws(Errno) {
    // Without O_NONBLOCK, opening a named pipe without a writer would block. A pipe
    // is refused below.
    file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    let status = try file.borrowed.stat()
    guard status.type == .regular else {
      throw status.type == .directory ? .isDirectory : .invalidArgument
    }
    size = Int(status.size)
  }

  package var descriptor: FileDescriptor { file.borrowed }

  package func read(atMost limit: Int) throws(Errno) -> SourceOutcome {
    try descriptor.readPiece(atMost: limit)
  }
}

extension FileDescriptor {
  /// Reads the available bytes. The corresponding C function is `read`.
  package func readPiece(atMost limit: Int) throws(Errno) -> SourceOutcome {
    var outcome: Result<ReadOutcome, Errno> = .success(.wouldBlock)
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      outcome = Result { () throws(Errno) in try readAvailable(into: .init(buffer)) }
      if case .success(.bytes(let number)) = outcome { count = number }
    }
    return switch try outcome.get() {
    case .bytes: .bytes(bytes)
    case .wouldBlock: .wouldBlock
    case .endOfFile: .end
    }
  }
}
