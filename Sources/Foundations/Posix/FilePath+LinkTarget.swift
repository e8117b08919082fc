import Glibc
package import SystemPackage

extension FilePath {
  /// The target of a symbolic link; nil if the path is none, or may not be read.
  ///
  /// The corresponding C function is `readlink`.
  package var linkTarget: FilePath? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = withPlatformString { readlink($0, start, Int(PATH_MAX)) }
      guard count > 0 else { return nil }
      start[count] = 0
      return FilePath(platformString: start)
    }
  }
}
