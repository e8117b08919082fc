internal import CSerial
import Glibc
internal import Posix
public import SystemPackage

/// A process that has a port open, or has locked it.
public struct PortHolder: Hashable, Sendable {
  /// Its process ID.
  public let pid: Int32
  /// The name of its command, at most 15 bytes: the kernel keeps no more. See proc_pid_comm(5).
  public let command: String
  /// The user whose rights it has; nil if the process has just ended.
  public let user: UserID?

  /// Creates a holder from its values.
  public init(pid: Int32, command: String, user: UserID? = nil) {
    self.pid = pid
    self.command = command
    self.user = user
  }

  /// Looks up a process; nil if it has ended.
  init?(pid: Int32) {
    let folder = FilePath("/proc/\(pid)")
    guard let name = try? folder.appending("comm").contents() else { return nil }
    self.init(
      pid: pid, command: String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
      user: try? folder.stat().userID)
  }
}

/// The processes that have ports open or locked, as far as this user can see them.
///
/// Other users' locks are visible; which files their processes have open is visible to root only.
public struct PortHolders: Sendable {
  private let locks: [FileID: Int32]
  private let openFiles: [DeviceID: [OpenFile]]

  /// An open file of a process: its directory entry in /proc/PID/fd.
  fileprivate struct OpenFile: Hashable {
    let pid: Int32
    let descriptor: Int32
  }

  /// A process that has a port open.
  public struct Use: Hashable, Sendable {
    /// The process.
    public let holder: PortHolder
    /// Whether it has locked the port by flock(2), so that programs which respect that lock fail.
    public let isLocked: Bool
    /// Whether it is the far end of the pseudo-terminal, which usually keeps the node open too.
    public let isFarEnd: Bool
    /// Whether the port is the controlling terminal of the process.
    public let isTerminal: Bool
    fileprivate let file: OpenFile

    fileprivate init(
      _ holder: PortHolder, file: OpenFile, isLocked: Bool, isFarEnd: Bool, isTerminal: Bool
    ) {
      (self.holder, self.file) = (holder, file)
      (self.isLocked, self.isFarEnd, self.isTerminal) = (isLocked, isFarEnd, isTerminal)
    }

    /// Creates a use from its values.
    public init(
      holder: PortHolder, isLocked: Bool = false, isFarEnd: Bool = false, isTerminal: Bool = false
    ) {
      let file = OpenFile(pid: holder.pid, descriptor: -1)
      self.init(
        holder, file: file, isLocked: isLocked, isFarEnd: isFarEnd, isTerminal: isTerminal)
    }
  }

  /// Looks at all processes once. Reads /proc/locks and /proc/PID/fd; see proc(5).
  public init() {
    locks = Self.readLocks()
    openFiles = Self.readOpenFiles()
  }

  /// The process that holds a port: the one that locked it, by flock(2) or a lock file, otherwise
  /// one that has it open. Nil if there is none, or none that this user can see.
  ///
  /// - Parameter path: the node, or a link to it.
  public subscript(path: FilePath) -> PortHolder? {
    if let locker = locker(of: path) { return locker }
    let uses = uses(of: path)
    return (uses.first(where: \.isLocked) ?? uses.first { !$0.isFarEnd } ?? uses.first)?.holder
  }

  /// The process that has locked a port by flock(2) or by a lock file.
  ///
  /// - Parameter path: the node, or a link to it.
  public func locker(of path: FilePath) -> PortHolder? {
    guard let node = try? path.stat() else { return nil }
    return locks[FileID(device: node.deviceID, inode: node.inode.rawValue)]
      .flatMap(PortHolder.init) ?? UUCPLock(for: path).holder.flatMap(PortHolder.init)
  }

  /// The processes that have a port open, by process ID.
  ///
  /// - Parameter path: the node, or a link to it.
  public func uses(of path: FilePath) -> [Use] {
    guard let number = try? path.stat().specialDeviceID, let files = openFiles[number] else {
      return []
    }
    let multiplexed = number.isPseudoTerminal ? number.minorNumber : nil
    var uses: [Use] = []
    for file in files where uses.last?.file.pid != file.pid {
      guard let holder = PortHolder(pid: file.pid) else { continue }
      let isLocked = files.contains { $0.pid == file.pid && $0.isLocked }
      let isFarEnd = multiplexed.map { self.isFarEnd(file.pid, of: $0) } ?? false
      uses.append(
        Use(
          holder, file: file, isLocked: isLocked, isFarEnd: isFarEnd,
          isTerminal: file.terminal == number))
    }
    return uses
  }

  /// Whether a process has other serial ports open than one. Its streams are no ports, and neither
  /// is a pseudo-terminal at which somebody works: GNU screen has that of its user open.
  ///
  /// - Parameter path: the node of that port, or a link to it.
  package func hasOtherPorts(_ pid: Int32, besides path: FilePath) -> Bool {
    let number = try? path.stat().specialDeviceID
    let text = (try? TerminalDriver.file.contents()) ?? []
    let drivers = TerminalDriver.all(in: String(decoding: text, as: UTF8.self))
      .filter { $0.type == "serial" }
    return openFiles.contains { device, files in
      let own = files.filter { $0.pid == pid }
      return device != number && !own.isEmpty
        && own.allSatisfy { $0.descriptor > STDERR_FILENO }
        && (device.isPseudoTerminal || drivers.contains { $0.has(device) })
        && !files.contains { $0.terminal == device }
    }
  }

  /// Whether a port refuses to be opened again by anybody but root: `TIOCGEXCL`, requested through
  /// the descriptor of a process that has it open, so that the port is not opened.
  ///
  /// - Returns: nil if there is no such process whose descriptors this user may
  ///   use: see pidfd_getfd(2).
  public func isExclusive(_ path: FilePath) -> Bool? {
    for use in uses(of: path) {
      let answer = cserial_is_exclusive(use.file.pid, use.file.descriptor)
      if answer >= 0 { return answer != 0 }
    }
    return nil
  }

  private func isFarEnd(_ pid: Int32, of number: UInt32) -> Bool {
    // The multiplexer, /dev/ptmx: see Documentation/admin-guide/devices.txt.
    let multiplexer = DeviceID(majorNumber: 5, minorNumber: 2)
    return (openFiles[multiplexer] ?? []).contains { $0.pid == pid && $0.isMaster(of: number) }
  }

  /// Whether a process has the master of a pseudo-terminal open.
  static func hasMaster(_ pid: Int32, of number: UInt32) -> Bool {
    FilePath("/proc/\(pid)/fd").entryNames().contains { name in
      Int32(name).map { OpenFile(pid: pid, descriptor: $0).isMaster(of: number) } ?? false
    }
  }

  // MARK: Reading

  private struct FileID: Hashable {
    let device: DeviceID
    let inode: Inode.RawValue
  }

  private static func readLocks() -> [FileID: Int32] {
    var locks: [FileID: Int32] = [:]
    let text = (try? FilePath("/proc/locks").contents()) ?? []
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      if let (file, pid) = parseLock(line) { locks[file] = pid }
    }
    return locks
  }

  /// `1: FLOCK  ADVISORY  WRITE 1234 00:18:5 0 EOF`: device in hex, inode in decimal.
  private static func parseLock(_ line: Substring) -> (FileID, Int32)? {
    let words = line.split(separator: " ")
    guard words.count >= 6, words[1] == "FLOCK", let pid = Int32(words[4]), pid > 0 else {
      return nil
    }
    let parts = words[5].split(separator: ":")
    guard parts.count == 3, let major = UInt32(parts[0], radix: 16),
      let minor = UInt32(parts[1], radix: 16), let inode = Inode.RawValue(parts[2])
    else { return nil }
    return (FileID(device: DeviceID(majorNumber: major, minorNumber: minor), inode: inode), pid)
  }

  private static func readOpenFiles() -> [DeviceID: [OpenFile]] {
    var openFiles: [DeviceID: [OpenFile]] = [:]
    for pid in FilePath("/proc").entryNames().compactMap({ Int32($0) }).sorted() {
      let folder = FilePath("/proc/\(pid)/fd")
      for name in folder.entryNames() {
        // stat(2) follows the link to the open file itself, and opens nothing.
        guard let file = try? folder.appending(name).stat(), file.type == .characterSpecial,
          let descriptor = Int32(name)
        else { continue }
        openFiles[file.specialDeviceID, default: []].append(
          OpenFile(pid: pid, descriptor: descriptor))
      }
    }
    return openFiles
  }
}

extension PortHolders.OpenFile {
  /// The lines of /proc/PID/fdinfo/FD; see proc_pid_fdinfo(5).
  fileprivate var lines: [Substring] {
    let contents = try? FilePath("/proc/\(pid)/fdinfo/\(descriptor)").contents()
    return String(decoding: contents ?? [], as: UTF8.self).split(separator: "\n")
  }

  /// The controlling terminal of the process; nil if it has none.
  fileprivate var terminal: DeviceID? { ProcessStatus(in: FilePath("/proc/\(pid)"))?.terminal }

  /// Whether the file is the master of a pseudo-terminal.
  fileprivate func isMaster(of number: UInt32) -> Bool { lines.contains("tty-index:\t\(number)") }

  /// Whether the file has a lock of flock(2). A lock belongs to the open file and outlives the
  /// process that took it, as when a script calls flock(1); /proc/locks does not show it then.
  fileprivate var isLocked: Bool {
    lines.contains { $0.hasPrefix("lock:") && $0.split(separator: " ").contains("FLOCK") }
  }
}
