package import EventLoop
package import SerialCore
package import SystemPackage

/// A file that is being sent.
package typealias FileTransfer = ExchangeRunner<PlainFile>

extension FileTransfer {
  /// Opens the file; ``ExchangeRunner/begin()`` starts sending.
  ///
  /// - Throws: the errors of ``FileSource/init(opening:)``.
  package convenience init(of path: FilePath, to session: Session, on loop: IOLoop) throws(Errno) {
    let source = try FileSource(opening: path)
    self.init(PlainFile(path, source), on: session, loop: loop, source: source)
  }
}

extension PlainFile {
  /// The exchange that sends an open file.
  package init(_ path: FilePath, _ source: FileSource) {
    self.init(path.lastComponent?.string ?? path.string, size: source.size)
  }
}

extension SessionController {
  /// The file that is being sent.
  package var transfer: FileTransfer? { exchange as? FileTransfer }
}
