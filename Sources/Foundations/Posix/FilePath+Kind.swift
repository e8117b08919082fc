import Glibc
package import SystemPackage

/// Files that are not regular ones, in words.
extension FilePath {
  /// When the file was last written, in seconds since 1970-01-01 UTC; nil if it cannot be read. The
  /// corresponding C function is `stat`.
  package var modificationTime: Int? { try? stat().st_mtim.tv_sec }

  /// The kind of file at the path: "a folder"; nil for a regular file, and if there is none.
  ///
  /// - Parameter followsLinks: whether a symbolic link counts as the file that it leads to.
  package func specialKind(followingLinks followsLinks: Bool = true) -> String? {
    (try? stat(followTargetSymlink: followsLinks).type)?.specialKind
  }
}

extension FileType {
  /// The kind of the file in words; nil for a regular file.
  package var specialKind: String? {
    switch self {
    case .regular: nil
    case .directory: "a folder"
    case .symbolicLink: "a symbolic link"
    case .characterSpecial, .blockSpecial: "a device"
    case .fifo: "a named pipe"
    case .socket: "a socket"
    default: "not a regular file"
    }
  }
}
