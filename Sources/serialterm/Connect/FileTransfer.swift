import EventLoop
import SerialCore
import SessionKit
import SystemPackage

/// A file that is being sent.
typealias FileTransfer = ExchangeRunner<PlainFile>

extension FileTransfer {
  /// Opens the file; ``ExchangeRunner/begin()`` starts sending.
  ///
  /// - Throws: ``Failure`` if it is not a regular file, or cannot be read.
  convenience init(of path: FilePath, to session: Session, on loop: IOLoop) throws(Failure) {
    let source = try FileSource(ofUser: path)
    self.init(PlainFile(path, source), on: session, loop: loop, source: source)
  }
}

extension FileSource {
  /// Opens a file that the user has named.
  ///
  /// - Throws: ``Failure`` if it is not a regular file, or cannot be read.
  convenience init(ofUser path: FilePath) throws(Failure) {
    do throws(Errno) {
      try self.init(opening: path)
    } catch {
      let reason = error == .invalidArgument ? "not a file" : "\(error)"
      throw Failure(.otherFailure, "\(path): \(reason).")
    }
  }
}

extension PlainFile {
  /// The exchange that sends an open file.
  init(_ path: FilePath, _ source: FileSource) {
    self.init(path.lastComponent?.string ?? path.string, size: source.size)
  }
}

extension SessionController {
  /// The file that is being sent.
  var transfer: FileTransfer? { exchange as? FileTransfer }
}
