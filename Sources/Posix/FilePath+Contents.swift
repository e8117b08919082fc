import Glibc
public import SystemPackage

extension FilePath {
  /// Reads a small file whole, as those of /proc and /sys are.
  ///
  /// - Throws: what open(2) and read(2) say.
  public func contents() throws(Errno) -> [UInt8] {
    let file = try OwnedDescriptor.open(self, O_RDONLY)
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while case .bytes(let count) = try chunk.readAvailable(from: file.borrowed) {
      contents += chunk[..<count]
    }
    return contents
  }

  /// The names in a folder, in no order, without `.` and `..`; empty if it cannot be read.
  ///
  /// The corresponding C function is `readdir`.
  public func entryNames() -> [String] {
    guard let folder = withPlatformString({ opendir($0) }) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}

extension [UInt8] {
  fileprivate mutating func readAvailable(
    from descriptor: FileDescriptor
  ) throws(Errno) -> ReadOutcome {
    do {
      return try withUnsafeMutableBytes { try descriptor.readAvailable(into: $0) }
    } catch let error as Errno {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
