import Glibc
import Posix
import SystemPackage
import Time

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

/// Reads a folder on a separate thread: it may have any number of entries, and a disk or server may
/// answer late or never. Release this object to give up.
final class FolderListing {
  private struct Progress: Sendable {
    var isWanted = true
    var contents: FolderContents?
  }

  private let progress = Guarded(Progress())
  private let pipe: WakePipe?

  /// Starts reading. If no thread can be created, it reads during this call.
  ///
  /// - Parameter folder: returns the path of the folder. It is called on the thread, because it may
  ///   look up a user's home.
  init(of folder: @escaping @Sendable () -> FilePath) {
    pipe = try? WakePipe()
    let (progress, pipe) = (progress, pipe)
    let work: @Sendable () -> Void = {
      let contents = FolderContents(
        of: folder(), while: { progress.withLock { $0.isWanted } })
      progress.withLock { $0.contents = contents }
      pipe?.wake()
    }
    if pipe == nil || (try? DetachedThread.run(work)) == nil { work() }
  }

  deinit { progress.withLock { $0.isWanted = false } }

  /// Readable when the folder has been read; nil if it was read during the initialiser.
  var notification: FileDescriptor? { pipe?.reader }

  /// The contents of the folder; nil while it is being read.
  var contents: FolderContents? { progress.withLock { $0.contents } }

  /// Waits for the contents, up to a limit.
  func wait(atMost limit: Duration) {
    progress.wait(until: .now + limit) { $0.contents != nil }
  }
}
