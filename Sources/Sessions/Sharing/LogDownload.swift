import EventLoop
import Logs
import Posix
import SystemPackage
import TextTools

/// Reads the log of a session for one of its members, piece by piece.
///
/// A reading begins at the offset 0: the file is that in which the log is then written, and as long
/// as it is then. Another thread reads it, because a disk may answer late or never.
package final class LogDownload {
  /// A part of the log.
  package struct Piece: Hashable, Sendable {
    package let bytes: [UInt8]
    /// The length of the log when the reading began, in bytes.
    package let size: Int
    /// The name of the file, without its folder. It is safe to show.
    package let name: String

    package init(_ bytes: [UInt8], ofSize size: Int, name: String) {
      (self.bytes, self.size, self.name) = (bytes, size, name)
    }
  }

  /// Why a piece cannot be read, as the end of a sentence.
  package struct Failure: Error, Hashable, Sendable {
    package let text: String
    package init(_ text: String) { self.text = text }
  }

  package typealias Answer = (Result<Piece, Failure>) -> Void

  /// The maximum number of bytes of a piece. A member that has taken nothing for a while must have
  /// room for it, beside the device's bytes: see ``ClientOutput/limit``.
  package static let longestPiece = 16_384

  private let log: SessionLogger
  /// The file of the reading; nil before the first piece.
  private var file: LogSnapshot?
  /// The log of the reading, as long as it is written.
  private weak var source: Log?
  private var job: Worker.Job?

  init(of log: SessionLogger) { self.log = log }

  /// Ends the reading: another one begins at the offset 0.
  func forget() { (file, job) = (nil, nil) }

  /// Reads a piece. A piece that is being read is given up: its answer does not come.
  ///
  /// - Parameters:
  ///   - count: the maximum number of bytes; at most ``longestPiece`` are read.
  ///   - offset: where the piece begins.
  ///   - answer: called once, in a turn of the loop or during this call.
  package func read(
    _ count: Int, from offset: Int, answer: @escaping Answer
  ) {
    guard let source = log.ownLog else {
      forget()
      return answer(.failure(Failure("no log is on")))
    }
    if offset == 0 || source !== self.source { file = nil }
    guard offset == 0 || file != nil else {
      return answer(.failure(Failure("a reading begins at the offset 0")))
    }
    self.source = source
    let (place, present) = (source.place, file)
    let count = max(0, min(count, Self.longestPiece))
    job = log.reader.perform(.late) {
      { _ in
        Result<(LogSnapshot, [UInt8]), Errno> { () throws(Errno) in
          let file = if let present { present } else { try LogSnapshot(of: place) }
          let (end, isOver) = offset.addingReportingOverflow(count)
          return (file, isOver ? [] : try file.read(offset..<end))
        }
      }
    } onResult: { [unowned self] result in
      job = nil
      switch result.flatMap({ $0 }) {
      case .success(let (file, bytes)):
        self.file = file
        guard !bytes.isEmpty || offset >= file.size || count == 0 else {
          return answer(.failure(Failure("another program has truncated the log")))
        }
        answer(.success(Piece(bytes, ofSize: file.size, name: file.name.harmless)))
      case .failure(let error): answer(.failure(Failure("cannot read the log: \(error)")))
      }
    }
  }
}
