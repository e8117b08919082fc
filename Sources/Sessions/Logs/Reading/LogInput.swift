import Glibc
import Posix
import SystemPackage

/// Reads a file or a pipe from the beginning to the end, in pieces of any length, without waiting.
final class LogInput {
  /// The maximum size of a record in bytes. A file with a larger one is not a log.
  static let maximalLength = 16 << 20
  private static let chunkSize = 65_536

  /// The number of bytes returned so far.
  private(set) var offset = 0

  private let file: OwnedDescriptor
  private let isPipe: Bool
  private var buffer: [UInt8] = []
  /// The start of the unread bytes in the buffer.
  private var position = 0
  private var isAtEnd = false

  /// The result of a read.
  enum Reading {
    case bytes(ArraySlice<UInt8>)
    /// More bytes may follow: try again when ``LogInput/descriptor`` is readable.
    case waiting
  }

  /// Opens a regular file or a named pipe. Standard input is `/dev/stdin`.
  ///
  /// - Throws: ``LogReadingError``.
  init(_ path: FilePath) throws(LogReadingError) {
    let type: FileType
    do {
      // Without O_NONBLOCK, open(2) and read(2) of a named pipe without a writer would block.
      file = try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
      type = try file.borrowed.stat().type
    } catch {
      throw LogReadingError("cannot be opened (\(error))")
    }
    guard type == .regular || type == .fifo else {
      throw LogReadingError("neither a file nor a pipe")
    }
    isPipe = type == .fifo
  }

  /// The descriptor to watch while no bytes are available; borrowed for the lifetime of the input.
  var descriptor: FileDescriptor { file.borrowed }

  /// The next bytes, without consuming them. At the end of the file there may be fewer.
  func peek(_ count: Int) throws(LogReadingError) -> Reading {
    guard try fill(count) else { return .waiting }
    return .bytes(buffer[position...].prefix(count))
  }

  /// The next bytes. At the end of the file there may be fewer.
  func read(_ count: Int) throws(LogReadingError) -> Reading {
    guard try fill(count) else { return .waiting }
    return .bytes(take(min(count, buffer.count - position)))
  }

  /// The next line without its end; nil at the end of the file. The last line may have no line end.
  func readLine() throws(LogReadingError) -> Reading? {
    var searched = 0
    while true {
      if let end = buffer[(position + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        return .bytes(take(end + 1 - position).dropLast())
      }
      searched = buffer.count - position
      if isAtEnd { return searched == 0 ? nil : .bytes(take(searched)) }
      guard searched <= Self.maximalLength else { return .bytes(take(searched)) }
      guard try fill(searched + 1) else { return .waiting }
    }
  }

  private func take(_ count: Int) -> ArraySlice<UInt8> {
    let piece = buffer[position..<position + count]
    position += count
    offset += count
    return piece
  }

  /// Reads until a number of bytes is available, or the file ends.
  ///
  /// - Returns: false if more bytes may follow later.
  private func fill(_ count: Int) throws(LogReadingError) -> Bool {
    guard buffer.count - position < count, !isAtEnd else { return true }
    buffer.removeFirst(position)
    position = 0
    while buffer.count < count, !isAtEnd {
      do throws(Errno) {
        switch try readChunk() {
        case .bytes: break
        case .wouldBlock: return false
        case .endOfFile:
          guard !isPipe || hasHungUp else { return false }
          isAtEnd = true
        }
      } catch {
        throw LogReadingError(at: .offset(offset + buffer.count), "cannot be read (\(error))")
      }
    }
    return true
  }

  /// Whether the last writer of a pipe has closed it. To read(2), but not to poll(2), a pipe that
  /// had no writer yet looks like a closed one.
  private var hasHungUp: Bool {
    var poll = pollfd(fd: file.borrowed.rawValue, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1 && poll.revents & Int16(POLLHUP) != 0
  }

  private func readChunk() throws(Errno) -> ReadOutcome {
    let result: Result<ReadOutcome, Errno> = withUnsafeTemporaryAllocation(
      byteCount: Self.chunkSize, alignment: 1
    ) { chunk in
      Result { () throws(Errno) in
        let outcome = try file.borrowed.readAvailable(into: chunk)
        if case .bytes(let count) = outcome {
          buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
        return outcome
      }
    }
    return try result.get()
  }
}
