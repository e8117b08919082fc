internal import Posix
public import SystemPackage

/// A process that has a port.
public struct PortHolder: Hashable, Sendable {
  /// Its process ID.
  public let pid: Int32
  /// Its command's name, at most 15 bytes: the kernel keeps no more. See proc(5), `comm`.
  public let command: String

  init?(pid: Int32) {
    guard let name = try? FilePath("/proc/\(pid)/comm").contents() else { return nil }
    self.pid = pid
    command = String(decoding: name.prefix { $0 != 0x0A }, as: UTF8.self)
  }
}

/// Who has which port, as far as this user may see it.
///
/// A process that locked a port, by flock(2) or a lock file, comes before one that merely has it
/// open: the far side of a pseudo-terminal keeps the node open too. Other users' processes show only to root.
public struct PortHolders {
  private let locks: [FileID: Int32]
  private let openers: [DeviceID: Int32]

  /// Looks at all processes once. Reads /proc/locks and /proc/PID/fd; see proc(5).
  public init() {
    locks = Self.readLocks()
    openers = Self.readOpeners()
  }

  /// Who has a port, or nil when nobody has, or nobody that this user may see.
  ///
  /// - Parameter path: the node, or a link to one.
  public subscript(path: FilePath) -> PortHolder? {
    guard let node = try? path.stat() else { return nil }
    let locker = locks[FileID(device: node.deviceID, inode: node.inode.rawValue)]
    // A lock outlives who took it, as flock(1) does for a script: it goes with the open file.
    return locker.flatMap(PortHolder.init)
      ?? UUCPLock(for: path).holder.flatMap(PortHolder.init)
      ?? openers[node.specialDeviceID].flatMap(PortHolder.init)
  }

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

  private static func readOpeners() -> [DeviceID: Int32] {
    var openers: [DeviceID: Int32] = [:]
    for name in FilePath("/proc").entryNames() {
      guard let pid = Int32(name) else { continue }
      let folder = FilePath("/proc/\(pid)/fd")
      for descriptor in folder.entryNames() {
        // Looks through the link at the open file itself, without opening anything.
        guard let file = try? folder.appending(descriptor).stat(), file.type == .characterSpecial
        else { continue }
        openers[file.specialDeviceID] = openers[file.specialDeviceID] ?? pid
      }
    }
    return openers
  }
}
