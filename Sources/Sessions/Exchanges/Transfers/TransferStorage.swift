package import SystemPackage
package import TransferProtocols

/// The files of a transfer. It is separate from the protocol, which does not access files.
package protocol TransferStorage: AnyObject {
  /// Performs an operation.
  ///
  /// - Returns: the answer; nil for operations without one.
  /// - Throws: ``TransferStorageError``, which ends the transfer.
  func perform(_ operation: StorageOperation) throws(TransferStorageError) -> StorageAnswer?
}

/// An operation that a transfer requests from its storage;
/// see ``TransferProtocols/TransferAction``.
package enum StorageOperation: Hashable, Sendable {
  case nextFile
  case read(at: Int, count: Int)
  case offer(TransferredFile)
  case checksum(count: Int)
  case resume(at: Int)
  case write([UInt8])
  case endFile(FileEnd)
}

/// The storage's answer; see ``TransferProtocols/TransferEvent``.
package enum StorageAnswer: Hashable, Sendable {
  case file(TransferredFile?)
  case read([UInt8])
  case accepted(partialCount: Int)
  case declined(DeclinedFile)
  case checksum(UInt32?)
  /// The file is complete, at this path.
  case stored(FilePath)
}

/// A file that is not received, and the reason.
package struct DeclinedFile: Hashable, Sendable {
  package let name: [UInt8]
  package let reason: Reason

  package enum Reason: Hashable, Sendable {
    /// The name leads out of the folder, is not a file name, or begins with a dot.
    case name
    /// The name contains characters that a terminal does not show as they are.
    case characters
    /// The announced size, in bytes, is larger than this limit.
    case size(Int, limit: Int)
    /// The announced size, in bytes, is larger than the free space.
    case space(Int, free: Int)
  }
}

/// A file could not be read or written.
package struct TransferStorageError: Error, Hashable, Sendable {
  package let path: FilePath
  package let error: Errno

  package init(_ path: FilePath, _ error: Errno) {
    self.path = path
    self.error = error
  }
}
