import Glibc
package import SystemPackage

extension FilePath {
  /// Reads a whole file. This is meant for small files, such as those in /proc and /sys.
  ///
  /// - Throws: the errors of open(2) and read(2).
  package func contents() throws(Errno) -> [UInt8] {
    let file = try OwnedDescriptor.open(self, O_RDONLY)
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while case .bytes(let count) = try chunk.readAvailable(from: file.borrowed) {
      contents += chunk[..<count]
    }
    return contents
  }

  /// The names in a folder, unordered, without `.` and `..`; empty if it cannot be read.
  ///
  /// The corresponding C function is `readdir`.
  package func entryNames() -> [String] {
    var names: [String] = []
    // A folder that cannot be read has no entries.
    _ = try? forEachEntry { entry in
      names.append(String(decoding: entry.name, as: UTF8.self))
      return true
    }
    return names
  }

  /// Reads a folder in any order, without `.` and `..`.
  ///
  /// The corresponding C functions are `opendir` and `readdir`.
  ///
  /// - Parameter body: returns whether to continue.
  /// - Throws: the errors of opendir(3).
  package func forEachEntry(_ body: (FolderEntry) -> Bool) throws(Errno) {
    guard let folder = withPlatformString({ opendir($0) }) else {
      throw Errno(rawValue: errno)
    }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let entry = FolderEntry(folder: folder, entry: entry)
      if !entry.name.elementsEqual(".".utf8) && !entry.name.elementsEqual("..".utf8)
        && !body(entry)
      {
        return
      }
    }
  }
}

/// An entry of a folder that is being read. It is valid until the next entry is read.
package struct FolderEntry {
  fileprivate let folder: OpaquePointer
  fileprivate let entry: UnsafeMutablePointer<dirent>

  /// The bytes of the name, which need not be UTF-8.
  package var name: [UInt8] {
    withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
  }

  /// Whether the entry is a folder, or a link to one. The folder contains most types. For a link,
  /// and on file systems without types, a system call finds the type.
  ///
  /// The corresponding C function is `fstatat`.
  package var isFolder: Bool {
    switch Int(entry.pointee.d_type) {
    case Int(DT_DIR): return true
    case Int(DT_LNK), Int(DT_UNKNOWN):
      var status = stat()
      let result = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          fstatat(dirfd(folder), $0, &status, 0)
        }
      }
      return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    default: return false
    }
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
