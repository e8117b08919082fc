import EventLoop
import Posix
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
    let source: FileSource
    do throws(Errno) {
      source = try FileSource(opening: path)
    } catch {
      let reason = error == .invalidArgument ? "not a file" : "\(error)"
      throw Failure(.otherFailure, "\(path): \(reason).")
    }
    let name = path.lastComponent?.string ?? path.string
    self.init(PlainFile(name, size: source.size), on: session, loop: loop, source: source)
  }
}
