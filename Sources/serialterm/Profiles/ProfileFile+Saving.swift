import Configuration
import Glibc
import Posix
import SystemPackage

extension ProfileFile {
  /// Appends a profile's table to a configuration file, which is created if it does not exist.
  ///
  /// - Throws: ``Failure`` if the file cannot be written, is not a regular file, or would no longer be a
  ///   configuration: `profile = {…}` is a table that nothing can be added to.
  static func append(_ text: String, to path: FilePath) throws(Failure) {
    let complaint: String?
    do throws(Errno) {
      try makeFolders(above: path)
      let file = try OwnedDescriptor.open(
        path, O_RDWR | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK, permissions: 0o600)
      guard try file.borrowed.stat().type == .regular else { throw .invalidArgument }
      let isEmpty = try file.borrowed.stat().size == 0
      let lead = isEmpty ? "" : try endsWithNewline(file.borrowed) ? "\n" : "\n\n"
      let bytes = Array((lead + text).utf8)
      complaint = isEmpty ? nil : Self.complaint(about: try document(at: path) + bytes)
      if complaint == nil {
        // A single write: another process reads all of it or nothing.
        let count = try systemCall {
          bytes.withUnsafeBytes { write(file.borrowed.rawValue, $0.baseAddress, $0.count) }
        }
        guard count == bytes.count else { throw .noSpace }
      }
    } catch {
      throw Failure(
        .otherFailure, "\(path): \(error == .invalidArgument ? "not a file" : "\(error)").")
    }
    if let complaint {
      throw Failure(.usage, "\(path): the profile cannot be added: \(complaint).")
    }
  }

  /// Why a document is not a configuration; nil if it is.
  private static func complaint(about document: [UInt8]) -> String? {
    do throws(ConfigurationError) {
      _ = try ConfigurationFile(parsing: document) { _, _ in }
      return nil
    } catch {
      return error.what
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
      // Another process created it in the meantime.
    }
  }
}
