import SessionKit
import SystemPackage

extension FileSource {
  /// Opens a file that the user named.
  ///
  /// - Throws: ``Failure`` if it is not a regular file, or cannot be read.
  convenience init(ofUser path: FilePath) throws(Failure) {
    do throws(Errno) {
      try self.init(opening: path)
    } catch {
      let reason = error == .invalidArgument ? "not a file" : "\(error)"
      throw Failure(.otherFailure, "\(path): \(reason).")
    }
  }
}
