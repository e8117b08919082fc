package import SystemPackage

/// A file that is being sent.
package typealias FileTransfer = ExchangeRunner<PlainFile>

extension PlainFile {
  /// The exchange that sends an open file.
  package init(_ path: FilePath, _ source: FileSource) {
    self.init(path.lastComponent?.string ?? path.string, size: source.size)
  }
}
