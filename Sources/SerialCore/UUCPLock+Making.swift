import Glibc
import Posix
import SystemPackage

extension UUCPLock {
  /// Locks a port according to the options: not at all if it is shared.
  ///
  /// - Returns: the lock file, if the options ask for one.
  /// - Throws: ``SerialError``: `busy`, or `lockFailed`.
  static func lock(_ port: FilePath, options: LinkOptions) throws(SerialError) -> MadeUUCPLock? {
    guard options.isExclusive else { return nil }
    let lock = UUCPLock(for: port, in: options.lockFolder)
    try lock.respect()
    return options.makesLockFile ? try lock.make() : nil
  }

  /// Creates the lock file, and replaces a stale one.
  ///
  /// It is written under another name and appears complete: by link(2), which replaces nothing, or
  /// by rename(2) over a stale one. A process that replaces a stale file holds its flock meanwhile,
  /// so that of two processes only one does.
  ///
  /// - Throws: ``SerialError``: `busy`, or `lockFailed`; then no file was changed.
  func make() throws(SerialError) -> MadeUUCPLock {
    let draft = file.removingLastComponent().appending("LTMP.\(UInt64.random(in: 0 ... .max))")
    // After a rename it no longer exists under this name.
    defer { _ = draft.withPlatformString { unlink($0) } }
    let made = try attempt { () throws(Errno) in try write(draft) }
    while true {
      if try attempt({ () throws(Errno) in try link(draft) }) { break }
      try respect()
      if try attempt({ () throws(Errno) in try replaceStale(by: draft) }) { break }
    }
    return MadeUUCPLock(file: file, descriptor: made)
  }

  private func attempt<Result: ~Copyable>(
    _ call: () throws(Errno) -> Result
  ) throws(SerialError) -> Result {
    do { return try call() } catch {
      // Another process is replacing the stale lock.
      if error == .wouldBlock { throw busy }
      throw failed(error, at: file.removingLastComponent())
    }
  }

  /// Writes the lock file of this process under another name.
  private func write(_ draft: FilePath) throws(Errno) -> OwnedDescriptor {
    let made = try OwnedDescriptor.open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o644)
    // Whatever the umask is: others must be able to read it.
    try systemCall { fchmod(made.borrowed.rawValue, 0o644) }
    let pid = String(getpid())
    let line = String(repeating: " ", count: 10 - pid.count) + pid + "\n"
    try systemCall { Glibc.write(made.borrowed.rawValue, line, line.utf8.count) }
    return made
  }

  /// - Returns: whether the draft is the lock now; false if a file exists.
  private func link(_ draft: FilePath) throws(Errno) -> Bool {
    do {
      try systemCall {
        draft.withPlatformString { new in file.withPlatformString { Glibc.link(new, $0) } }
      }
      return true
    } catch .fileExists {
      return false
    }
  }

  /// - Returns: whether the draft is the lock now; false if another process was faster.
  private func replaceStale(by draft: FilePath) throws(Errno) -> Bool {
    do {
      let old = try open()
      try systemCall { flock(old.borrowed.rawValue, LOCK_EX | LOCK_NB) }
      guard case .stale = Self.status(of: old.borrowed),
        try FileIdentity(of: old.borrowed) == FileIdentity(at: file)
      else { return false }
      try systemCall {
        draft.withPlatformString { new in file.withPlatformString { rename(new, $0) } }
      }
      return true
    } catch .noSuchFileOrDirectory {
      return false
    }
  }
}

/// A lock file of this process, which is removed with this value unless another
/// process replaced it.
struct MadeUUCPLock: ~Copyable {
  fileprivate let file: FilePath
  /// Kept open, because the inode number of a deleted file may be reused.
  fileprivate let descriptor: OwnedDescriptor

  deinit {
    guard let present = try? FileIdentity(at: file),
      present == (try? FileIdentity(of: descriptor.borrowed))
    else { return }
    _ = file.withPlatformString { unlink($0) }
  }
}
