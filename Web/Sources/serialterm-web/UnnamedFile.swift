import Glibc
import SystemPackage

/// Files without a name: the kernel removes one with its last descriptor, however the program
/// ends.
enum UnnamedFile {
  /// O_TMPFILE of open(2), whose macro Swift does not import.
  private static let unnamed = 0o20_000_000 | O_DIRECTORY

  /// Makes a file that only this user can use.
  ///
  /// The corresponding C function is `open`, with `O_TMPFILE`. A file system that cannot do that
  /// gets a file whose name is removed at once.
  ///
  /// - Throws: the errors of open(2).
  static func make(in folder: FilePath) throws(Errno) -> FileDescriptor {
    let number = folder.withPlatformString {
      open($0, unnamed | O_RDWR | O_EXCL | O_CLOEXEC, 0o600)
    }
    if number >= 0 { return FileDescriptor(rawValue: number) }
    let reason = Errno(rawValue: errno)
    // A kernel that does not know the flag opens the folder.
    guard [.notSupported, .isDirectory, .invalidArgument].contains(reason) else { throw reason }
    return try makeWithoutItsName(in: folder)
  }

  /// Makes a file, and removes its name.
  ///
  /// - Throws: the errors of open(2) and unlink(2).
  static func makeWithoutItsName(in folder: FilePath) throws(Errno) -> FileDescriptor {
    let path = folder.appending("serialterm-web-\(Token.random().text)")
    let number = path.withPlatformString { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard number >= 0 else { throw Errno(rawValue: errno) }
    guard path.withPlatformString({ unlink($0) }) == 0 else {
      let reason = Errno(rawValue: errno)
      close(number)
      throw reason
    }
    return FileDescriptor(rawValue: number)
  }
}
