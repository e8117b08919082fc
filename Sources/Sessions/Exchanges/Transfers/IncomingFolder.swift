import Framing
import Glibc
import Posix
package import SystemPackage
import TextTools
import TransferProtocols

/// The folder that a transfer receives files into.
///
/// ## Principles of operation
///
/// - The sender chooses the name and nothing else. It cannot choose the folder, or replace an
///   existing file. A name that leads out of the folder, is hidden, or cannot be shown on a
///   terminal is declined.
/// - A file is written as `NAME.part`, which must be a new file, not a link. It is renamed when it
///   is complete. The received part of an interrupted file stays.
/// - An existing file is kept: the new one becomes `NAME.1`, unless the user asked
///   to replace files.
/// - The permissions are the announced ones, without execute permission and without those that the
///   umask removes. The time is the announced one.
/// - A partial file is continued only if the protocol can compare the existing part.
package final class IncomingFolder: TransferStorage {
  /// The rules of a folder.
  package struct Rules: Hashable, Sendable {
    /// The name of the only file, for a protocol that sends no name.
    package var name: String?
    /// Whether existing files are replaced.
    package var replaces = false
    /// Whether a file that was interrupted earlier is continued.
    package var continuesPartial = false
    /// The maximum size of a file in bytes; nil for no limit.
    package var largestFile: Int?

    package init() {}
  }

  /// The path of the folder.
  package let path: FilePath
  private let rules: Rules
  private let folder: OwnedDescriptor
  private var file: File?

  /// The file that is being received.
  private struct File {
    let info: TransferredFile
    let name: String
    let partialName: String
    let descriptor: Descriptor
    /// Whether this transfer has created the file.
    var isNew: Bool
    var count = 0
  }
  private final class Descriptor {
    let owned: OwnedDescriptor
    init(_ owned: consuming OwnedDescriptor) { self.owned = owned }
    var borrowed: FileDescriptor { owned.borrowed }
  }

  /// The maximum number of names to try.
  private static let mostNames = 1_000

  /// Opens the folder.
  ///
  /// - Throws: ``TransferStorageError`` if the folder does not exist, is not a folder, or cannot
  ///   be written to.
  package init(at path: FilePath, _ rules: Rules) throws(TransferStorageError) {
    self.path = path
    self.rules = rules
    do throws(Errno) {
      folder = try OwnedDescriptor.open(path, O_RDONLY | O_DIRECTORY)
      // Checked before the device begins to send.
      let descriptor = folder.borrowed.rawValue
      try systemCall { faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) }
    } catch {
      throw TransferStorageError(path, error)
    }
  }

  /// The path of a file in the folder, as a user would write it.
  private func shown(_ name: String) -> FilePath {
    path == "." ? FilePath(name) : path.appending(name)
  }

  /// The partial file of the present transfer, and its length; nil if there is none.
  package var partial: (path: FilePath, count: Int)? {
    file.flatMap { $0.count > 0 ? (shown($0.partialName), $0.count) : nil }
  }

  package func perform(
    _ operation: StorageOperation
  ) throws(TransferStorageError) -> StorageAnswer? {
    switch operation {
    case .offer(let info): return try accept(info)
    case .checksum(let count): return .checksum(checksum(of: count))
    case .resume(let offset):
      try attempt { file throws(Errno) in try file.descriptor.borrowed.truncate(to: offset) }
      file?.isNew = false
      file?.count = offset
      return nil
    case .write(let bytes):
      try write(bytes)
      return nil
    case .endFile(.complete): return try complete()
    case .endFile(.skipped):
      discardIfEmpty()
      file = nil
      return nil
    case .nextFile, .read: return nil
    }
  }

  /// Removes an empty partial file. Call it at the end of a transfer.
  package func discardIfEmpty() {
    guard let file, file.count == 0, file.isNew, has(file.partialName, file) else { return }
    _ = unlinkat(folder.borrowed.rawValue, file.partialName, 0)
  }

  // MARK: Names

  private func accept(_ info: TransferredFile) throws(TransferStorageError) -> StorageAnswer {
    func declined(_ reason: DeclinedFile.Reason) -> StorageAnswer {
      .declined(DeclinedFile(name: info.name, reason: reason))
    }
    file = nil
    let name: String
    switch Self.name(of: info.name, orElse: rules.name) {
    case .success(let good): name = good
    case .failure(let reason): return declined(reason)
    }
    if let size = info.size, let limit = rules.largestFile, size > limit {
      return declined(.size(size, limit: limit))
    }
    do throws(Errno) {
      let old = rules.continuesPartial ? try openPartial("\(name).part") : nil
      let count = old.flatMap { try? Int($0.borrowed.stat().size) } ?? 0
      if let size = info.size, let free = freeSpace, size - count > free {
        return declined(.space(size, free: free))
      }
      if let old {
        file = File(
          info: info, name: name, partialName: "\(name).part", descriptor: old, isNew: false)
        return .accepted(partialCount: count)
      }
      try create(name, info)
      return .accepted(partialCount: 0)
    } catch {
      throw TransferStorageError(shown(name), error)
    }
  }

  private enum NameCheck {
    case success(String)
    case failure(DeclinedFile.Reason)
  }

  /// The name for a received file in the folder.
  private static func name(
    of bytes: [UInt8], orElse own: String?
  ) -> NameCheck {
    let bytes = bytes.isEmpty ? Array((own ?? "").utf8) : bytes
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    // Senders often include a relative path. Its last component is the name. A path that leads out
    // of the folder is declined.
    guard bytes.first != UInt8(ascii: "/"), !parts.contains(where: { $0.elementsEqual("..".utf8) }),
      let last = parts.last, !last.isEmpty, last.first != UInt8(ascii: "."), !last.contains(0),
      last.count + ".part.1000".utf8.count <= 255
    else { return .failure(.name) }
    let name = String(decoding: last, as: UTF8.self)
    guard name.utf8.elementsEqual(last), name.harmless == name else { return .failure(.characters) }
    return .success(name)
  }

  /// The free space of the folder's file system, in bytes.
  private var freeSpace: Int? {
    var status = statvfs()
    guard fstatvfs(folder.borrowed.rawValue, &status) == 0 else { return nil }
    let (bytes, overflow) = Int(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return overflow ? nil : bytes
  }

  /// Opens the file that was partially received earlier; nil if there is none, or if it is not this
  /// user's regular file.
  private func openPartial(_ name: String) throws(Errno) -> Descriptor? {
    let flags = O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
    guard let file = try? open(name, flags), let status = try? file.borrowed.stat(),
      status.type == .regular, status.userID.rawValue == geteuid(), status.linkCount == 1,
      // Another receiver may be writing to it.
      flock(file.borrowed.rawValue, LOCK_EX | LOCK_NB) == 0
    else { return nil }
    return file
  }

  private func create(_ name: String, _ info: TransferredFile) throws(Errno) {
    for number in 0..<Self.mostNames {
      let partialName = number == 0 ? "\(name).part" : "\(name).part.\(number)"
      do throws(Errno) {
        let descriptor = try open(partialName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        _ = flock(descriptor.borrowed.rawValue, LOCK_EX | LOCK_NB)
        file = File(
          info: info, name: name, partialName: partialName, descriptor: descriptor, isNew: true)
        return
      } catch {
        guard error == .fileExists else { throw error }
      }
    }
    throw .fileExists
  }

  private func open(_ name: String, _ flags: CInt) throws(Errno) -> Descriptor {
    let folder = folder.borrowed.rawValue
    let descriptor = try systemCall { openat(folder, name, flags | O_CLOEXEC, 0o600) }
    return Descriptor(OwnedDescriptor(FileDescriptor(rawValue: descriptor)))
  }

  // MARK: Contents

  private func attempt<Value>(
    _ operation: (File) throws(Errno) -> Value
  ) throws(TransferStorageError) -> Value? {
    guard let file else { return nil }
    do throws(Errno) {
      return try operation(file)
    } catch {
      throw TransferStorageError(shown(file.partialName), error)
    }
  }

  private func write(_ bytes: [UInt8]) throws(TransferStorageError) {
    if let file, !file.isNew, file.count == 0 {
      // The earlier partial file is not the beginning of this file. It is kept unchanged.
      do throws(Errno) { try create(file.name, file.info) } catch {
        throw TransferStorageError(shown(file.name), error)
      }
    }
    try attempt { file throws(Errno) in
      try file.descriptor.borrowed.write(bytes, at: file.count)
    }
    file?.count += bytes.count
  }

  private func checksum(of count: Int) -> UInt32? {
    guard let file else { return nil }
    var crc = CRC32()
    var offset = 0
    while offset < count {
      guard
        let bytes = try? file.descriptor.borrowed.bytes(
          at: offset, count: min(1_048_576, count - offset)), !bytes.isEmpty
      else { return nil }
      crc.update(with: bytes)
      offset += bytes.count
    }
    return crc.value
  }

  // MARK: The end of a file

  private func complete() throws(TransferStorageError) -> StorageAnswer? {
    // No write has created this file: it is empty.
    if file?.isNew == false, file?.count == 0 { try write([]) }
    let name = try attempt { file throws(Errno) in
      let descriptor = file.descriptor.borrowed.rawValue
      let mode = (file.info.mode ?? 0o666) & 0o666 & ~Self.umask
      // The owner must be able to read the file.
      try systemCall { fchmod(descriptor, mode | 0o400) }
      if let time = file.info.modificationTime {
        let times = [
          timespec(tv_sec: 0, tv_nsec: Self.omitted), timespec(tv_sec: time, tv_nsec: 0),
        ]
        // Some file systems cannot store this time. The file itself is complete.
        _ = futimens(descriptor, times)
      }
      return try rename(file)
    }
    file = nil
    return name.map { .stored(shown($0)) }
  }

  /// Renames the finished file.
  ///
  /// - Returns: the name, with a number if the original name is taken.
  private func rename(_ file: File) throws(Errno) -> String {
    let old = FilePath(file.partialName)
    // Another user who may write to the folder can have put something else in its place.
    guard has(file.partialName, file) else { throw .noSuchFileOrDirectory }
    if rules.replaces {
      try old.rename(to: FilePath(file.name), in: folder.borrowed)
      return try checked(file.name, file)
    }
    for number in 0..<Self.mostNames {
      let name = number == 0 ? file.name : "\(file.name).\(number)"
      if try old.renameUnlessExists(to: FilePath(name), in: folder.borrowed) {
        return try checked(name, file)
      }
    }
    throw .fileExists
  }

  /// The name, if the received file has it.
  private func checked(_ name: String, _ file: File) throws(Errno) -> String {
    guard has(name, file) else { throw .noSuchFileOrDirectory }
    return name
  }

  /// Whether a name in the folder is that of the received file.
  private func has(_ name: String, _ file: File) -> Bool {
    guard let received = try? FileIdentity(of: file.descriptor.borrowed) else { return false }
    return received == (try? FileIdentity(at: FilePath(name), in: folder.borrowed))
  }

  /// UTIME_OMIT of <sys/stat.h>, a macro that Swift does not import: leave this time unchanged.
  private static let omitted = (1 << 30) - 2

  /// The umask of the process. It is not read by umask(2), which would change it for a moment in
  /// which a log's thread may create a file.
  private static let umask: mode_t = {
    let status = (try? FilePath("/proc/self/status").contents()) ?? []
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("Umask:") }
    return line.flatMap { mode_t($0.dropFirst(6).drop { $0 == "\t" || $0 == " " }, radix: 8) }
      ?? 0o077
  }()
}

extension FileDescriptor {
  /// Writes all bytes at an offset. The corresponding C function is `pwrite`.
  fileprivate func write(_ bytes: [UInt8], at offset: Int) throws(Errno) {
    var written = 0
    while written < bytes.count {
      written += try systemCall {
        bytes[written...].withUnsafeBytes {
          Glibc.pwrite(rawValue, $0.baseAddress, $0.count, off_t(offset + written))
        }
      }
    }
  }

  /// Removes all bytes after a length. The corresponding C function is `ftruncate`.
  fileprivate func truncate(to length: Int) throws(Errno) {
    try systemCall { ftruncate(rawValue, off_t(length)) }
  }
}
