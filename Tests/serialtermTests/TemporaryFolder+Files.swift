import Posix
import SystemPackage
import TestSupport

extension TemporaryFolder {
  /// Writes a file and returns its path.
  func write(_ name: String, _ contents: [UInt8]) throws -> FilePath {
    let file = path.appending(name)
    let descriptor = try FileDescriptor.open(
      file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try descriptor.closeAfter { _ = try descriptor.writeAll(contents) }
    return file
  }
}
