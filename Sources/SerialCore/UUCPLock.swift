import Glibc
import Posix
public import SystemPackage

/// The lock file of a port: `/var/lock/LCK..ttyUSB0`, which names the process that has the port.
///
/// It is older than flock(2) and TIOCEXCL, and advisory like flock(2). The format is that of HDB
/// UUCP: a process ID in ten ASCII characters and a newline; some programs write the ID in binary.
/// See the Filesystem Hierarchy Standard, `/var/lock`.
///
/// A process ID proves less than a lock: it may belong to another process by now, and means
/// nothing in another container. A stale lock can therefore look held; the name of the holder's
/// command shows that.
public struct UUCPLock {
  /// The port, as it was given.
  public let port: FilePath
  /// The lock file.
  public let file: FilePath

  /// How long an empty lock file counts as one that is being created, in seconds.
  static let makingTime = 5

  /// The state of a lock file.
  public enum Status: Hashable, Sendable {
    /// It does not exist.
    case absent
    /// A running process has the port; nil while the file is being created.
    case held(by: Int32?)
    /// The process that created it has ended; nil if an empty file was left behind.
    case stale(by: Int32?)
    /// It names no process: it is not a regular file (a symbolic link is not followed), cannot be
    /// read, or does not contain a process ID. The error of open(2), if that failed.
    case unusable(Errno?)
  }

  /// The lock of a port.
  ///
  /// - Parameters:
  ///   - port: the node, or a link to it.
  ///   - folder: the directory with the lock files.
  public init(for port: FilePath, in folder: FilePath = LinkOptions().lockFolder) {
    self.port = port
    // Programs that know of directories below /dev write the path like this.
    let node = (port.realPath ?? port).string
    let name = node.hasPrefix("/dev/") ? String(node.dropFirst("/dev/".count)) : node
    file = folder.appending("LCK.." + name.split(separator: "/").joined(separator: "_"))
  }

  /// The present state of the lock file.
  public var status: Status {
    do {
      let opened = try open()
      return Self.status(of: opened.borrowed)
    } catch .noSuchFileOrDirectory {
      return .absent
    } catch {
      return .unusable(error)
    }
  }

  /// Opens the lock file, without following a link and without waiting for the other end of a FIFO.
  func open() throws(Errno) -> OwnedDescriptor {
    try OwnedDescriptor.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  }

  /// The state of an open lock file.
  static func status(of descriptor: FileDescriptor) -> Status {
    var facts = Glibc.stat()
    guard fstat(descriptor.rawValue, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      return .unusable(nil)
    }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = pread(descriptor.rawValue, &bytes, bytes.count, 0)
    guard count >= 0 else { return .unusable(Errno(rawValue: errno)) }
    guard count > 0 else {
      // Anybody may write to the directory, and set the time to anything.
      let age = time(nil) &- facts.st_mtim.tv_sec
      return (0...makingTime).contains(age) ? .held(by: nil) : .stale(by: nil)
    }
    guard let pid = processID(in: bytes[..<count]) else { return .unusable(nil) }
    return isAlive(pid) ? .held(by: pid) : .stale(by: pid)
  }

  /// The process ID in the contents of a lock file: the first word as a number, or four
  /// bytes in binary.
  public static func processID(in bytes: ArraySlice<UInt8>) -> Int32? {
    // No process ID fills all four bytes (proc(5), `pid_max`), and no text has a zero.
    if bytes.count == MemoryLayout<Int32>.size && bytes.contains(0) {
      let pid = bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
      return pid > 0 ? pid : nil
    }
    let words = bytes.split { " \t\r\n".utf8.contains($0) }
    guard let word = words.first, word.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int32(String(decoding: word, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether there is such a process, of any user.
  private static func isAlive(_ pid: Int32) -> Bool { kill(pid, 0) == 0 || errno == EPERM }

  /// Throws if another process has the port, or may have it.
  ///
  /// - Throws: ``SerialError``: `busy`, or `lockFailed`.
  func respect() throws(SerialError) {
    switch status {
    case .absent, .stale: break
    case .held: throw busy
    case .unusable(let errno): throw failed(errno, at: file)
    }
  }

  /// The running process that the lock file names.
  var holder: Int32? {
    if case .held(let pid) = status { pid } else { nil }
  }

  var busy: SerialError { SerialError(.busy, in: "UUCP lock", at: port, subject: file.string) }

  /// - Parameter place: the file or directory that the error is about.
  func failed(_ errno: Errno?, at place: FilePath) -> SerialError {
    switch errno {
    // A problem of this process, not of the lock.
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory:
      SerialError(.system, in: "open", at: port, errno: errno)
    default:
      SerialError(.lockFailed, in: "UUCP lock", at: port, errno: errno, subject: place.string)
    }
  }
}
