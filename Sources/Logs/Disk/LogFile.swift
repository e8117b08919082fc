import Glibc
import Posix
import SystemPackage

/// The file that a log is written to at present, readable by its owner alone.
///
/// ## Principles of operation
///
/// - Nothing that is there is truncated, replaced or written through: a file must be new, or asked to
///   be added to; a symbolic link, a device, a pipe is refused.
/// - When it is turned over and all files stay, it is renamed to `FILE.N` with the next higher number:
///   one renaming, however many there are. When so many stay, it becomes `FILE.1`, what had that name
///   `FILE.2`, and so on. A name with the time in it that is another by now is begun instead, and
///   nothing renamed.
/// - A file that was renamed or removed by somebody else, as logrotate(8) does, is noticed by its
///   name leading elsewhere, and begun anew there.
/// - Until the next file is open the last one is written to: whatever fails in between loses nothing.
final class LogFile {
  private(set) var path: FilePath
  /// How long it is, as far as we wrote it.
  private(set) var size: Int
  /// Whether it has more than what a file begins with.
  private(set) var hasRecords: Bool
  private(set) var start = MonotonicTime.now

  private let name: LogName
  private let appends: Bool
  /// The highest number that a file of this name has, once it was looked for.
  private var lastNumber: Int?
  private var file: OwnedDescriptor
  private var identity: Identity

  private struct Identity: Equatable {
    let device: DeviceID
    let inode: Inode
  }

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - name: where.
  ///   - appends: whether to add to a file that is there; without it, there must be none.
  /// - Throws: ``LogFileError``.
  init(_ name: LogName, appends: Bool) throws(LogFileError) {
    self.name = name
    self.appends = appends
    path = name.path(at: time(nil))
    file = try Self.open(path, mustBeNew: !appends)
    (identity, size) = try Self.facts(of: file, at: path)
    hasRecords = size > 0
  }

  private static func open(
    _ path: FilePath, mustBeNew: Bool
  ) throws(LogFileError) -> OwnedDescriptor {
    // O_NONBLOCK: a named pipe without a reader would keep us waiting; it is refused below.
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
    do {
      return try OwnedDescriptor.open(path, flags | (mustBeNew ? O_EXCL : 0), permissions: 0o600)
    } catch {
      throw LogFileError(path, error)
    }
  }

  private static func facts(
    of file: borrowing OwnedDescriptor, at path: FilePath
  ) throws(LogFileError) -> (Identity, Int) {
    do {
      let status = try file.borrowed.stat()
      guard status.type == .regular else { throw LogFileError(path, .notAFile) }
      return (Identity(device: status.deviceID, inode: status.inode), Int(status.size))
    } catch let error as LogFileError {
      throw error
    } catch {
      throw LogFileError(path, error as? Errno ?? .ioError)
    }
  }

  // MARK: Writing

  /// Writes what the disk takes.
  ///
  /// - Parameter isRecord: whether it is more than what a file begins with.
  /// - Returns: how many bytes, at least one.
  /// - Throws: what write(2) says.
  func write(_ bytes: UnsafeRawBufferPointer, isRecord: Bool) throws(Errno) -> Int {
    guard case .bytes(let count) = try file.borrowed.writeAvailable(bytes) else {
      throw .wouldBlock
    }
    size += count
    if isRecord { hasRecords = true }
    return count
  }

  /// Takes back the last bytes: a record that could not be written to its end.
  func takeBack(_ count: Int) {
    guard let end = try? file.borrowed.stat().size else { return }
    // The file is whole without it; if this fails, its reader finds half a record at the end.
    _ = ftruncate(file.borrowed.rawValue, off_t(end) - off_t(count))
    size -= count
  }

  // MARK: Turning over

  /// Whether the name leads to another file by now, or to none.
  var isElsewhere: Bool {
    guard let status = try? path.stat(followTargetSymlink: false) else { return true }
    return identity != Identity(device: status.deviceID, inode: status.inode)
  }

  /// Begins the file anew that has gone from its name.
  ///
  /// - Throws: ``LogFileError``; the old file stays in use then.
  func reopen() throws(LogFileError) { try begin(path, mustBeNew: false) }

  /// Ends this file and begins the next.
  ///
  /// - Parameter keep: how many old files stay; nil for all.
  /// - Throws: ``LogFileError``; the old file stays in use then, whatever its name is by now.
  func turnOver(keeping keep: Int?) throws(LogFileError) {
    let next = name.path(at: time(nil))
    guard next == path else { return try begin(next, mustBeNew: !appends) }
    // If it has lost its name already, there is nothing to be renamed.
    if !isElsewhere {
      if let keep { try shift(keeping: keep) } else { try number() }
    }
    try begin(path, mustBeNew: true)
  }

  private func begin(_ path: FilePath, mustBeNew: Bool) throws(LogFileError) {
    // A time that passes without a new file must not be tried again at every record.
    start = .now
    let next = try Self.open(path, mustBeNew: mustBeNew)
    (identity, size) = try Self.facts(of: next, at: path)
    file = consume next
    if self.path != path { lastNumber = nil }
    self.path = path
    hasRecords = size > 0
  }

  /// Gives this file the next number.
  private func number() throws(LogFileError) {
    var number = (lastNumber ?? path.highestNumber) + 1
    // Somebody else may have made it meanwhile; renaming would replace it.
    while numbered(number).exists { number += 1 }
    try rename(path, to: numbered(number))
    lastNumber = number
  }

  /// Gives every old file the next number, the last first, and this one the first.
  private func shift(keeping keep: Int) throws(LogFileError) {
    var last = 1
    while last < keep, numbered(last).exists { last += 1 }
    for number in stride(from: last, through: 1, by: -1) {
      try rename(number == 1 ? path : numbered(number - 1), to: numbered(number))
    }
  }

  private func rename(_ old: FilePath, to new: FilePath) throws(LogFileError) {
    do {
      try systemCall {
        old.withPlatformString { old in new.withPlatformString { Glibc.rename(old, $0) } }
      }
    } catch {
      throw LogFileError(old, .system(error))
    }
  }

  private func numbered(_ number: Int) -> FilePath { FilePath("\(path).\(number)") }
}

extension FilePath {
  /// Whether there is anything of this name, a link that leads nowhere too.
  fileprivate var exists: Bool { (try? stat(followTargetSymlink: false)) != nil }

  /// The highest number behind this name and a point that a file has; 0 if none has.
  fileprivate var highestNumber: Int {
    let folder = removingLastComponent()
    let prefix = "\(lastComponent?.string ?? "")."
    let numbers = (folder.isEmpty ? "." : folder).entryNames().compactMap { name -> Int? in
      guard name.hasPrefix(prefix) else { return nil }
      let digits = name.dropFirst(prefix.count)
      // What is too large, or has a sign or a zero in front, is not ours.
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
