import Glibc
import Posix
import SystemPackage

/// A file that is read whole before anything is done.
enum InputFile {
  /// Reads a file to its end, or standard input (`-`).
  ///
  /// - Parameter limit: how much is enough; a piece more may be read, so that it is noticed.
  /// - Throws: what open(2) and read(2) say.
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
      // A reader of a pipe may wait: nothing else is going on yet.
      let count = try systemCall { Glibc.read(descriptor.rawValue, piece.baseAddress, piece.count) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
