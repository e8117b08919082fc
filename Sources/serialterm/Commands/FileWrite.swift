import EventLoop
import Glibc
import Posix
import SystemPackage

/// Writes a file on a separate thread: the disk may be slow, or a file server may not answer.
///
/// An existing file is left alone, unless the user has allowed something else. A file that is
/// new or replaced gets its name when it is complete: a full disk leaves no part of it, and
/// the old file.
final class FileWrite {
  /// What happens to a file that exists.
  enum Existing: Hashable, Sendable {
    case leaveAlone, appendTo, replace
  }

  /// Makes the contents, and passes them on in pieces.
  typealias Contents =
    @Sendable (_ put: ([UInt8]) throws(Errno) -> Void) throws(Errno) -> Void

  /// How writing ended.
  enum Outcome: Sendable {
    /// The number of bytes that were written.
    case done(Int)
    /// The file exists, and was left alone.
    case exists
    /// An error, and the number of bytes that were appended before it.
    case failed(Errno, afterWriting: Int)
  }

  private var work: BackgroundWork<Outcome>?

  /// Starts to write. If no thread can be created, it writes during this call.
  ///
  /// - Parameters:
  ///   - contents: called on the other thread.
  ///   - done: called once, in a turn of the loop.
  init(
    to path: FilePath, existing: Existing, on loop: IOLoop, contents: @escaping Contents,
    done: @escaping (Outcome) -> Void
  ) {
    let write: @Sendable () -> Outcome = { Self.write(contents, to: path, existing) }
    do throws(Errno) {
      work = try BackgroundWork(on: loop, { _ in write() }, onResult: done)
    } catch {
      let outcome = write()
      loop.atEndOfTurn { [weak self] in if self != nil { done(outcome) } }
    }
  }

  private static func write(
    _ contents: Contents, to path: FilePath, _ existing: Existing
  ) -> Outcome {
    var count = 0
    func write(to file: FileDescriptor) throws(Errno) {
      try contents { (piece: [UInt8]) throws(Errno) in
        try writeAll(piece, to: file)
        count += piece.count
      }
    }
    guard existing == .appendTo else {
      do throws(Errno) {
        if existing == .leaveAlone, path.exists { return .exists }
        let draft = try DraftFile(of: path)
        try write(to: draft.descriptor)
        return try draft.publish(replacing: existing == .replace) ? .done(count) : .exists
      } catch {
        return .failed(error, afterWriting: 0)
      }
    }
    do throws(Errno) {
      // Refuses symbolic links and devices. A named pipe without a reader is an error.
      let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_APPEND
      let file = try OwnedDescriptor.open(path, flags)
      guard try file.borrowed.stat().type == .regular else { throw .invalidArgument }
      try write(to: file.borrowed)
    } catch {
      return .failed(error, afterWriting: count)
    }
    return .done(count)
  }

  /// Writes bytes, in several steps if necessary.
  ///
  /// - Throws: the error of write(2).
  static func writeAll(_ piece: [UInt8], to file: FileDescriptor) throws(Errno) {
    var rest = piece[...]
    while !rest.isEmpty {
      let result: Result<Int, Errno> = rest.withUnsafeBytes { bytes in
        Result { () throws(Errno) in
          try systemCall { Glibc.write(file.rawValue, bytes.baseAddress, bytes.count) }
        }
      }
      rest = rest.dropFirst(try result.get())
    }
  }
}
