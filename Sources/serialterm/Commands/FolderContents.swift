import Posix
import SystemPackage

/// The entries of a folder, up to a limit.
struct FolderContents: Sendable {
  /// An entry of the folder.
  struct Entry: Sendable {
    /// The name as text: bytes that are not UTF-8 are replaced.
    let name: String
    /// The name's bytes, if they are not UTF-8.
    let bytes: [UInt8]?
    let isFolder: Bool
  }

  /// The entries, sorted by name.
  private(set) var entries: [Entry] = []
  /// The number of entries that were dropped.
  private(set) var leftOutCount = 0
  /// The error if the folder could not be read; otherwise nil.
  private(set) var error: Errno?

  /// The maximum number of entries that are kept.
  static let limit = 100_000
  /// The number of entries that are read before the next check whether they are still wanted.
  private static let batch = 256

  /// Reads a folder.
  ///
  /// - Parameter isWanted: called from time to time; reading stops when it returns false.
  init(of folder: FilePath, while isWanted: () -> Bool = { true }) {
    var count = 0
    do throws(Errno) {
      try folder.forEachEntry { entry in
        count += 1
        if count <= Self.limit { entries.append(Entry(entry)) }
        return count % Self.batch != 0 || isWanted()
      }
    } catch {
      self.error = error
    }
    leftOutCount = max(0, count - Self.limit)
    entries.sort { $0.name < $1.name }
  }
}

extension FolderContents.Entry {
  fileprivate init(_ entry: FolderEntry) {
    let bytes = entry.name
    name = String(decoding: bytes, as: UTF8.self)
    self.bytes = name.utf8.elementsEqual(bytes) ? nil : bytes
    isFolder = entry.isFolder
  }
}
