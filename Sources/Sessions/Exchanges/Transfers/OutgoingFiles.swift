import Glibc
import Posix
package import SystemPackage
import TransferProtocols

/// The files that a transfer sends, in order. One file is open at a time.
package final class OutgoingFiles: TransferStorage {
  /// The paths of the files.
  package let paths: [FilePath]
  private let name: String?
  private var next = 0
  private var file: FileSource?

  /// - Parameters:
  ///   - paths: the files; at least one.
  ///   - name: the name of the only file; nil for the last part of each path.
  package init(_ paths: [FilePath], named name: String? = nil) {
    (self.paths, self.name) = (paths, name)
  }

  /// The file that is being sent; nil before the first one.
  package var present: FilePath? { next > 0 ? paths[next - 1] : nil }

  package func perform(
    _ operation: StorageOperation
  ) throws(TransferStorageError) -> StorageAnswer? {
    switch operation {
    case .nextFile:
      file = nil
      guard next < paths.count else { return .file(nil) }
      let path = paths[next]
      next += 1
      return .file(try describe(path))
    case .read(let offset, let count): return .read(try read(at: offset, count: count))
    case .endFile:
      file = nil
      return nil
    case .offer, .checksum, .resume, .write: return nil
    }
  }

  private func describe(_ path: FilePath) throws(TransferStorageError) -> TransferredFile {
    do throws(Errno) {
      let file = try FileSource(opening: path)
      self.file = file
      let status = try file.descriptor.stat()
      return TransferredFile(
        name: name.map { Array($0.utf8) } ?? path.lastComponent?.bytes ?? [], size: file.size,
        modificationTime: Int(status.st_mtim.tv_sec), mode: UInt32(status.mode.rawValue))
    } catch {
      throw TransferStorageError(path, error)
    }
  }

  private func read(at offset: Int, count: Int) throws(TransferStorageError) -> [UInt8] {
    guard let file, let present else { return [] }
    do throws(Errno) {
      return try file.descriptor.bytes(at: offset, count: count)
    } catch {
      throw TransferStorageError(present, error)
    }
  }
}

extension FilePath.Component {
  /// The bytes of the name.
  fileprivate var bytes: [UInt8] {
    withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }
}
