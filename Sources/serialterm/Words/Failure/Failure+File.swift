import Posix
import Sessions
import SystemPackage
import TextTools

extension FileSource {
  /// Opens a file that the user named.
  ///
  /// - Throws: ``Failure`` if it is not a regular file, or cannot be read.
  convenience init(ofUser path: FilePath) throws(Failure) {
    do throws(Errno) {
      try self.init(opening: path)
    } catch {
      throw Failure(with: path, error)
    }
  }
}

extension Failure {
  /// The failure of opening or writing a file. It names the kind of a path that is no file.
  ///
  /// - Parameter followsLinks: whether the operation has followed a symbolic link.
  init(with path: FilePath, _ error: Errno, followingLinks followsLinks: Bool = true) {
    let isUnusable = [
      .invalidArgument, .isDirectory, .noSuchAddressOrDevice, .tooManySymbolicLinkLevels,
    ].contains(error)
    if isUnusable, let kind = path.specialKind(followingLinks: followsLinks) {
      self.init(.otherFailure, "\(path.string.harmless) is \(kind).")
    } else {
      self.init(.otherFailure, "\(path.string.harmless): \(error).")
    }
  }
}
