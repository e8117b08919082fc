import Glibc
import Posix
import SystemPackage
import Time

/// The file to which a log is written at present.
///
/// ## Principles of operation
///
/// - No existing file is truncated, replaced unasked, or written through a link. A file must be
///   new, unless appending is allowed. A symbolic link, a device or a pipe is refused.
/// - Only the owner can read and write a new file, unless ``LogAccess`` is different. The access of
///   an existing file is not changed.
/// - Rotation renames the file to `FILE.N` with the next higher number. This is a single rename for
///   any number of old files. With a limit on old files, the file becomes `FILE.1`, and the numbers
///   of the others increase by one. If the name contains a time that has changed, rotation starts
///   the file with the new name instead, and renames nothing.
/// - If another program such as logrotate(8) has renamed or removed the file, its path leads
///   elsewhere. This is detected, and a new file is started at that path.
/// - If another program has shortened the file, as `copytruncate` of logrotate(8) does, writing
///   goes on at the new end: every write appends. This is detected too, because readers need the
///   header again.
/// - The old file stays in use until the next one is open: a failure in between loses nothing.
/// - Rotation renames nothing but this log: it opens the folder, finds this file in it, and works
///   in that folder, whatever its path leads to by then.
final class LogFile {
  private(set) var path: FilePath
  /// The length in bytes, not counting bytes of other programs.
  private(set) var size: Int
  /// Whether the file contains more than a header.
  private(set) var hasRecords: Bool
  private(set) var start = MonotonicTime.now
  /// What other programs have done to the files of this log so far.
  private(set) var changes = Changes()

  private let name: LogName
  private let appends: Bool
  private let access: LogAccess
  /// The highest number of an old file; nil before the search for it.
  private var lastNumber: Int?
  private var file: SharedDescriptor
  private var identity: FileIdentity
  /// The offset at which the file ended after the last write, or when it was opened.
  private var end: Int

  /// What another program has done to the file.
  enum Change {
    /// It is shorter than it was after the last write.
    case shortened
    /// It has no name any more: what is written to it is lost.
    case removed
    /// It has another name, or its folder has.
    case moved
  }

  /// What has become of files that other programs have changed.
  struct Changes: Hashable, Sendable {
    /// The path of the first file that was shortened.
    var shortened: FilePath?
    /// The last file that could not be continued, because its last record is incomplete.
    var setAside: SetAside?
  }

  /// A file that could not be continued.
  struct SetAside: Hashable, Sendable {
    /// Its path before.
    let old: FilePath
    /// Its path now.
    let path: FilePath
    /// The number of such files, including this one.
    let number: Int
  }

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - name: the path, with placeholders for the time and the port.
  ///   - appends: whether to append to an existing file; otherwise the file must not exist.
  ///   - replaces: whether a regular file that exists is removed first.
  ///   - access: the mode and the group of a new file.
  /// - Throws: ``LogFileError``.
  init(
    _ name: LogName, appends: Bool, replaces: Bool = false, access: LogAccess = LogAccess()
  ) throws(LogFileError) {
    self.name = name
    self.appends = appends
    self.access = access
    path = name.path(at: time(nil))
    if replaces, (try? path.stat(followTargetSymlink: false).type) == .regular {
      // If this fails, the file still exists, which is reported.
      _ = path.withPlatformString { unlink($0) }
    }
    let file = try Self.open(path, path, access, mustBeNew: !appends)
    (identity, size) = try Self.status(of: file, at: path)
    self.file = SharedDescriptor(consume file)
    end = size
    hasRecords = size > 0
  }

  /// - Parameters:
  ///   - place: where the file is.
  ///   - path: its path for messages.
  private static func open(
    _ place: FilePath, _ path: FilePath, _ access: LogAccess, mustBeNew: Bool
  ) throws(LogFileError) -> OwnedDescriptor {
    // Without O_NONBLOCK, opening a named pipe without a reader would block. A pipe
    // is refused later.
    let flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
    while true {
      do {
        let file = try OwnedDescriptor.open(place, flags | O_CREAT | O_EXCL, permissions: 0o600)
        try access.apply(to: file, at: place, named: path)
        return file
      } catch let error as LogFileError {
        throw error
      } catch {
        let errno = error as? Errno ?? .ioError
        guard errno == .fileExists, !mustBeNew else { throw LogFileError(path, errno) }
      }
      do throws(Errno) {
        return try OwnedDescriptor.open(place, flags)
      } catch {
        // It may have been removed meanwhile. Then it is created after all.
        guard error == .noSuchFileOrDirectory else { throw LogFileError(path, error) }
      }
    }
  }

  private static func status(
    of file: borrowing OwnedDescriptor, at path: FilePath
  ) throws(LogFileError) -> (FileIdentity, Int) {
    do {
      let status = try file.borrowed.stat()
      if let kind = status.type.specialKind { throw LogFileError(path, .notAFile(kind)) }
      return (try FileIdentity(of: file.borrowed), Int(status.size))
    } catch let error as LogFileError {
      throw error
    } catch {
      throw LogFileError(path, error as? Errno ?? .ioError)
    }
  }

  /// Where the file is, for readers.
  var place: LogSnapshot.Place { LogSnapshot.Place(path: path, file: file) }

  // MARK: Writing

  /// Writes as many bytes as the disk accepts.
  ///
  /// - Parameter isRecord: whether the bytes are more than a header.
  /// - Returns: the number of written bytes, at least one; nil if another program shortened the
  ///   file after the last look at ``change``. Then nothing was written, and the file needs its
  ///   header.
  /// - Throws: the error of write(2).
  func write(_ bytes: UnsafeRawBufferPointer, isRecord: Bool) throws(Errno) -> Int? {
    guard case .bytes(let count) = try file.borrowed.writeAvailable(bytes) else {
      throw .wouldBlock
    }
    let position = position
    if position >= 0, position < end + count, removeLast(count, endingAt: position) { return nil }
    end = max(end + count, position)
    size += count
    if isRecord { hasRecords = true }
    return count
  }

  /// The offset behind the last write: with O_APPEND, that was the end of the file. Negative if the
  /// file has none. The corresponding C function is `lseek`.
  private var position: Int { Int(lseek(file.borrowed.rawValue, 0, SEEK_CUR)) }

  /// Removes the last written bytes, because a record could not be completed.
  ///
  /// Does nothing if another program has appended bytes since, because these are never removed. A
  /// reader then finds an incomplete record.
  func removeLast(_ count: Int) {
    guard removeLast(count, endingAt: position) else { return }
    end -= count
    size -= count
  }

  private func removeLast(_ count: Int, endingAt position: Int) -> Bool {
    guard count <= position, (try? file.borrowed.stat().size) == Int64(position) else {
      return false
    }
    return ftruncate(file.borrowed.rawValue, off_t(position - count)) == 0
  }

  // MARK: Other programs

  /// Whether another program has shortened or removed the file since the last write.
  var change: Change? {
    guard let status = try? file.borrowed.stat() else { return nil }
    // Some file systems do not count names.
    if status.linkCount == 0, isElsewhere { return .removed }
    return status.size < Int64(end) ? .shortened : nil
  }

  /// Whether the path now leads to another file, or to no file.
  var isElsewhere: Bool {
    identity != (try? FileIdentity(at: path))
  }

  /// Goes on at the end of the file, after another program has shortened it.
  func acceptLength() {
    if changes.shortened == nil { changes.shortened = path }
    guard let length = try? file.borrowed.stat().size else { return }
    (size, end) = (Int(length), Int(length))
    hasRecords = size > 0
  }

  /// Reads a part of the file, fewer bytes at its end; nil if that is not possible.
  func bytes(_ range: Range<Int>) -> [UInt8]? { try? LogSnapshot(of: place).read(range) }

  // MARK: Rotation

  /// Starts a new file at the path, after another program has moved or removed the present file.
  ///
  /// - Throws: ``LogFileError``. The old file then stays in use.
  func reopen() throws(LogFileError) { try begin(path, mustBeNew: false) }

  /// Ends this file, and starts the next one.
  ///
  /// - Parameters:
  ///   - keep: the number of old files to keep; nil for all.
  ///   - isIncomplete: whether this file cannot be continued, which becomes one of the ``changes``.
  /// - Throws: ``LogFileError``. The old file then stays in use, possibly with a new name.
  func rotate(keeping keep: Int?, isIncomplete: Bool = false) throws(LogFileError) {
    let old = path
    guard let place = try beginNext(keeping: keep), isIncomplete else { return }
    changes.setAside = SetAside(
      old: old, path: place, number: (changes.setAside?.number ?? 0) + 1)
  }

  /// - Returns: the path of the old file; nil if another program has renamed it.
  private func beginNext(keeping keep: Int?) throws(LogFileError) -> FilePath? {
    let (old, next) = (path, name.path(at: time(nil)))
    guard next == path else {
      try begin(next, mustBeNew: !appends)
      return old
    }
    // A file that has already lost its name needs no other.
    guard let entry = try? NameInFolder(path), entry.identity == identity else {
      try begin(path, mustBeNew: true)
      return nil
    }
    let suffix: Int
    if let keep { suffix = try shift(entry, keeping: keep) } else { suffix = try number(entry) }
    try begin(path, at: entry.path, mustBeNew: true)
    return FilePath("\(old).\(suffix)")
  }

  /// - Parameter place: the path through an open folder; nil to use the path itself.
  private func begin(
    _ path: FilePath, at place: FilePath? = nil, mustBeNew: Bool
  ) throws(LogFileError) {
    // If this fails, it must not be retried at every record.
    start = .now
    let next = try Self.open(place ?? path, path, access, mustBeNew: mustBeNew)
    (identity, size) = try Self.status(of: next, at: path)
    file = SharedDescriptor(consume next)
    end = size
    if self.path != path { lastNumber = nil }
    self.path = path
    hasRecords = size > 0
  }

  /// Renames this file to the next number, and returns that.
  private func number(_ entry: borrowing NameInFolder) throws(LogFileError) -> Int {
    var number = (lastNumber ?? entry.path.highestNumber) + 1
    let folder = entry.folderDescriptor
    do throws(Errno) {
      while try !entry.name.renameUnlessExists(to: entry.numbered(number), in: folder) {
        number += 1
      }
    } catch {
      throw LogFileError(path, .system(error))
    }
    lastNumber = number
    return number
  }

  /// Renames every old file to the next number, the last one first, and this one to the number 1,
  /// which is returned.
  private func shift(
    _ entry: borrowing NameInFolder, keeping keep: Int
  ) throws(LogFileError) -> Int {
    let folder = entry.folderDescriptor
    var last = 1
    while last < keep, (try? FileIdentity(at: entry.numbered(last), in: folder)) != nil {
      last += 1
    }
    for number in stride(from: last, through: 1, by: -1) {
      let old = number == 1 ? entry.name : entry.numbered(number - 1)
      do throws(Errno) {
        if number == keep {
          // The oldest one is replaced: that is the purpose of the limit.
          try old.rename(to: entry.numbered(number), in: folder)
        } else if try !old.renameUnlessExists(to: entry.numbered(number), in: folder) {
          throw .fileExists
        }
      } catch {
        let shown = number == 1 ? path : FilePath("\(path).\(number - 1)")
        throw LogFileError(shown, .system(error))
      }
    }
    return 1
  }
}

extension NameInFolder {
  /// The name of an old file.
  fileprivate func numbered(_ number: Int) -> FilePath { FilePath("\(name).\(number)") }
}

extension FilePath {
  /// The highest number of a file with the name `NAME.NUMBER`; 0 if there is none.
  fileprivate var highestNumber: Int {
    let folder = removingLastComponent()
    let prefix = "\(lastComponent?.string ?? "")."
    let numbers = (folder.isEmpty ? "." : folder).entryNames().compactMap { name -> Int? in
      guard name.hasPrefix(prefix) else { return nil }
      let digits = name.dropFirst(prefix.count)
      // Logs do not have numbers with a sign, a leading zero or too many digits.
      guard digits.allSatisfy(\.isASCIIDigit), digits.first != "0", digits.count <= 9 else {
        return nil
      }
      return Int(digits)
    }
    return numbers.max() ?? 0
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
