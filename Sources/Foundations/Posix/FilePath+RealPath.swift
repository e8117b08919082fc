import Glibc
package import SystemPackage

extension FilePath {
  /// The absolute path with all symbolic links resolved; nil if it does not exist.
  ///
  /// The corresponding C function is `realpath`.
  package var realPath: FilePath? {
    guard let resolved = withPlatformString({ realpath($0, nil) }) else { return nil }
    defer { free(resolved) }
    return FilePath(platformString: resolved)
  }
}
