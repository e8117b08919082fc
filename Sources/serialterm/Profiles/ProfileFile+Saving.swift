import Glibc
import Posix
import SystemPackage

extension ProfileFile {
  /// Adds a text at the end of a configuration, which is made if there is none. What stands there
  /// stays as it is.
  ///
  /// - Throws: ``Failure``.
  static func append(_ text: String, to path: FilePath) throws(Failure) {
    do throws(Errno) {
      try makeFolders(above: path)
      let file = try OwnedDescriptor.open(
        path, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK, permissions: 0o600)
      guard try file.borrowed.stat().type == .regular else { throw .invalidArgument }
      let isEmpty = try file.borrowed.stat().size == 0
      let lead = isEmpty ? "" : try endsWithNewline(file.borrowed) ? "\n" : "\n\n"
      // One write: whoever reads meanwhile sees all of it or nothing.
      let bytes = Array((lead + text).utf8)
      let count = try systemCall {
        bytes.withUnsafeBytes { write(file.borrowed.rawValue, $0.baseAddress, $0.count) }
      }
      guard count == bytes.count else { throw .noSpace }
    } catch {
      throw Failure(
        .otherFailure, "\(path): \(error == .invalidArgument ? "not a file" : "\(error)").")
    }
  }

  private static func endsWithNewline(_ file: FileDescriptor) throws(Errno) -> Bool {
    var last: UInt8 = 0
    try systemCall { lseek(file.rawValue, -1, SEEK_END) }
    try systemCall { read(file.rawValue, &last, 1) }
    return last == UInt8(ascii: "\n")
  }

  private static func makeFolders(above path: FilePath) throws(Errno) {
    let folder = path.removingLastComponent()
    guard !folder.isEmpty, (try? folder.stat()) == nil else { return }
    try makeFolders(above: folder)
    do throws(Errno) {
      try systemCall { mkdir(folder.string, 0o700) }
    } catch .fileExists {
      // Somebody else was quicker.
    }
  }
}
