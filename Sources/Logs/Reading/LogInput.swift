import Glibc
import Posix
import SystemPackage

/// A file that is read from its beginning to its end, in pieces of any length.
final class LogInput {
  /// What a record may have at most: past this a file is not what it is taken for.
  static let maximalLength = 16 << 20
  private static let chunkSize = 65_536

  /// How many bytes were handed out.
  private(set) var offset = 0

  private let file: OwnedDescriptor
  private var buffer: [UInt8] = []
  /// Where in the buffer goes on what was not handed out yet.
  private var position = 0
  private var isAtEnd = false

  init(_ path: FilePath) throws(LogReadingError) {
    do {
      file = try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY)
    } catch {
      throw LogReadingError("cannot be opened (\(error))")
    }
  }

  /// Whether the next bytes are these.
  func begins(with bytes: [UInt8]) throws(LogReadingError) -> Bool {
    try fill(bytes.count)
    return buffer[position...].starts(with: bytes)
  }

  /// The next bytes, fewer at the end of the file.
  func read(_ count: Int) throws(LogReadingError) -> ArraySlice<UInt8> {
    try fill(count)
    return take(min(count, buffer.count - position))
  }

  /// The next line, its end left out; nil at the end of the file. A last line without an end is one.
  func readLine() throws(LogReadingError) -> ArraySlice<UInt8>? {
    var searched = 0
    while true {
      if let end = buffer[(position + searched)...].firstIndex(of: 0x0A) {
        return take(end + 1 - position).dropLast()
      }
      searched = buffer.count - position
      if isAtEnd { return searched == 0 ? nil : take(searched) }
      guard searched <= Self.maximalLength else { return take(searched) }
      try fill(searched + 1)
    }
  }

  private func take(_ count: Int) -> ArraySlice<UInt8> {
    let piece = buffer[position..<position + count]
    position += count
    offset += count
    return piece
  }

  /// Reads until so many bytes are there, or the file ends.
  private func fill(_ count: Int) throws(LogReadingError) {
    guard buffer.count - position < count, !isAtEnd else { return }
    buffer.removeFirst(position)
    position = 0
    while buffer.count < count, !isAtEnd {
      do throws(Errno) {
        isAtEnd = try readChunk() == 0
      } catch {
        throw LogReadingError(at: .offset(offset + buffer.count), "cannot be read (\(error))")
      }
    }
  }

  private func readChunk() throws(Errno) -> Int {
    let result: Result<Int, Errno> = withUnsafeTemporaryAllocation(
      byteCount: Self.chunkSize, alignment: 1
    ) { chunk in
      Result { () throws(Errno) in
        let count = try systemCall {
          Glibc.read(file.borrowed.rawValue, chunk.baseAddress, chunk.count)
        }
        buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        return count
      }
    }
    return try result.get()
  }
}
