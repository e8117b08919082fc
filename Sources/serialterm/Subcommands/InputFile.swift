import Glibc
import Posix
import SystemPackage

/// A file that is read completely before the command does anything else.
enum InputFile {
  /// Reads a file to its end, or standard input (`-`).
  ///
  /// - Parameter limit: the number of bytes after which reading stops. One piece more may be read, so that the caller
  ///   detects a larger file.
  /// - Throws: the errors of open(2) and read(2).
  static func read(_ name: String, atMost limit: Int) throws(Errno) -> [UInt8] {
    guard name != "-" else { return try read(.standardInput, atMost: limit) }
    let file = try OwnedDescriptor.open(FilePath(name), O_RDONLY | O_NOCTTY)
    return try read(file.borrowed, atMost: limit)
  }

  private static func read(_ descriptor: FileDescriptor, atMost limit: Int) throws(Errno) -> [UInt8]
  {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { piece.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      // This may block on a pipe: nothing else is running yet.
      let count = try systemCall { Glibc.read(descriptor.rawValue, piece.baseAddress, piece.count) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
