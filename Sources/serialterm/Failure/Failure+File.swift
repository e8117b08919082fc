import SessionKit
import SystemPackage

extension FileSource {
  /// Opens a file that the user has named.
  ///
  /// - Throws: ``Failure`` if it is not a regular file, or cannot be read.
  convenience init(ofUser path: FilePath) throws(Failure) {
    do throws(Errno) {
      try self.init(opening: path)
    } catch {
      throw Failure(unreadable: path, error)
    }
  }
}

extension Failure {
  /// A file that the user has named cannot be sent.
  init(unreadable path: FilePath, _ error: Errno) {
    let reason = error == .invalidArgument ? "not a file" : "\(error)"
    self.init(.otherFailure, "\(path): \(reason).")
  }
}
