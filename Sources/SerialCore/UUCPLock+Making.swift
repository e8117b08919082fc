import Glibc
import Posix
import SystemPackage

extension UUCPLock {
  /// Locks a port as its user asked for: not at all when it is shared.
  ///
  /// - Returns: the lock file, if one was asked for.
  /// - Throws: ``SerialError``: `busy`, or `lockFailed`.
  static func lock(_ port: FilePath, options: LinkOptions) throws(SerialError) -> MadeUUCPLock? {
    guard options.isExclusive else { return nil }
    let lock = UUCPLock(for: port, in: options.lockFolder)
    try lock.respect()
    return options.makesLockFile ? try lock.make() : nil
  }

  /// Makes the lock file, in place of a stale one if there is one.
  ///
  /// It is written under another name and appears at once, complete: by link(2), which replaces
  /// nothing, or by rename(2) over a stale one. Whoever replaces holds the stale file's own flock
  /// meanwhile, so that of two only one does.
  ///
  /// - Throws: ``SerialError``: `busy`, or `lockFailed`; no file was changed then.
  func make() throws(SerialError) -> MadeUUCPLock {
    let draft = file.removingLastComponent().appending("LTMP.\(UInt64.random(in: 0 ... .max))")
    // Gone by this name when it has become the lock by rename.
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
      // Another process is just replacing a stale lock.
      if error == .wouldBlock { throw busy }
      throw failed(error, at: file.removingLastComponent())
    }
  }

  /// Writes a lock file of this process under another name.
  private func write(_ draft: FilePath) throws(Errno) -> OwnedDescriptor {
    let made = try OwnedDescriptor.open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o644)
    // Whatever the umask: a lock that others cannot read tells them nothing.
    try systemCall { fchmod(made.borrowed.rawValue, 0o644) }
    let pid = String(getpid())
    let line = String(repeating: " ", count: 10 - pid.count) + pid + "\n"
    try systemCall { Glibc.write(made.borrowed.rawValue, line, line.utf8.count) }
    return made
  }

  /// - Returns: whether the draft is the lock now; if not, there is a file already.
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

  /// - Returns: whether the draft is the lock now; if not, another file has come in between, or is
  ///   about to.
  private func replaceStale(by draft: FilePath) throws(Errno) -> Bool {
    do {
      let old = try open()
      try systemCall { flock(old.borrowed.rawValue, LOCK_EX | LOCK_NB) }
      guard Self.status(of: old.borrowed) == .stale,
        try FileID(of: old.borrowed) == FileID(at: file)
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

/// A lock file of ours, which goes when this goes: unless somebody replaced it.
struct MadeUUCPLock: ~Copyable {
  fileprivate let file: FilePath
  /// Kept open: the inode number of a file that is gone may be given to another.
  fileprivate let descriptor: OwnedDescriptor

  deinit {
    guard let present = try? FileID(at: file), present == (try? FileID(of: descriptor.borrowed))
    else { return }
    _ = file.withPlatformString { unlink($0) }
  }
}

/// What tells one file from every other, whatever it is called.
private struct FileID: Equatable {
  let device: dev_t
  let inode: ino_t

  init(of descriptor: FileDescriptor) throws(Errno) {
    var facts = Glibc.stat()
    try systemCall { fstat(descriptor.rawValue, &facts) }
    self.init(facts)
  }

  init(at path: FilePath) throws(Errno) {
    var facts = Glibc.stat()
    try systemCall { path.withPlatformString { lstat($0, &facts) } }
    self.init(facts)
  }

  private init(_ facts: Glibc.stat) { (device, inode) = (facts.st_dev, facts.st_ino) }
}
