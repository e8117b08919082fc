import Glibc
import Posix
import SystemPackage
import TextTools

/// Reads the lines of a file or a pipe, in bounded memory. Reading waits for a pipe.
final class LineFile {
  /// Whether the file can be read again.
  let isRegular: Bool
  private let path: String
  private let file: OwnedDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var unread = 0..<0
  private var isAtEnd = false

  /// The size of the buffer in bytes. A longer line is read in pieces.
  private static let size = 262_144

  /// Opens a file.
  ///
  /// - Parameter path: a regular file, a named pipe, or `-` for standard input.
  /// - Throws: ``Failure``.
  init(_ path: String) throws(Failure) {
    self.path = path
    do throws(Errno) {
      let name: FilePath = path == "-" ? "/dev/stdin" : FilePath(path)
      file = try OwnedDescriptor.open(name, O_RDONLY | O_NOCTTY)
      isRegular = try file.borrowed.stat().type == .regular
    } catch {
      throw Failure(.usage, "\(path.harmless): cannot be opened (\(error)).")
    }
    buffer = .allocate(byteCount: Self.size, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The next line and what was read with it, without consuming it. Empty at the end.
  ///
  /// - Throws: ``Failure``.
  func peek() throws(Failure) -> UnsafeRawBufferPointer {
    let line = try next()
    unread = unread.lowerBound - (line?.count ?? 0)..<unread.upperBound
    return UnsafeRawBufferPointer(rebasing: buffer[unread])
  }

  /// The next line with its end, which is LF, CR or CRLF; a piece of a long line, or the last line
  /// without an end; nil at the end. The bytes are valid until the next call.
  ///
  /// - Throws: ``Failure``.
  func next() throws(Failure) -> UnsafeRawBufferPointer? {
    var searched = 0
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[unread])
      let feed = Self.index(of: UInt8(ascii: "\n"), in: rest, from: searched, to: rest.count)
      if let mark = Self.index(
        of: UInt8(ascii: "\r"), in: rest, from: searched, to: feed ?? rest.count)
      {
        // A CR at the end of what was read can be that of a CRLF.
        if mark + 1 < rest.count {
          return take(rest[mark + 1] == UInt8(ascii: "\n") ? mark + 2 : mark + 1)
        }
        if isAtEnd || rest.count == Self.size { return take(mark + 1) }
        searched = mark
      } else if let feed {
        return take(feed + 1)
      } else {
        searched = rest.count
      }
      if isAtEnd || rest.count == Self.size { return rest.isEmpty ? nil : take(rest.count) }
      try fill()
    }
  }

  private func take(_ count: Int) -> UnsafeRawBufferPointer {
    let start = unread.lowerBound
    unread = start + count..<unread.upperBound
    return UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
  }

  /// Finds a byte. The corresponding C function is `memchr`.
  private static func index(
    of byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> Int? {
    guard let base = bytes.baseAddress, start < end,
      let found = memchr(base + start, CInt(byte), end - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  private func fill() throws(Failure) {
    if unread.lowerBound > 0 {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[unread]))
      unread = 0..<unread.count
    }
    do throws(Errno) {
      let count = try systemCall {
        read(
          file.borrowed.rawValue, buffer.baseAddress! + unread.upperBound,
          Self.size - unread.upperBound)
      }
      isAtEnd = count == 0
      unread = 0..<unread.upperBound + count
    } catch {
      throw Failure(.otherFailure, "\(path.harmless): cannot be read (\(error)).")
    }
  }
}
