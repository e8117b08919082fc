import Glibc
public import SystemPackage

extension FilePath {
  /// Where the path leads when every symbolic link in it is followed; nil if that is nowhere.
  ///
  /// The corresponding C function is `realpath`.
  public var realPath: FilePath? {
    guard let resolved = withPlatformString({ realpath($0, nil) }) else { return nil }
    defer { free(resolved) }
    return FilePath(platformString: resolved)
  }
}
