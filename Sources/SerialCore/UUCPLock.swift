import Glibc
import Posix
import SystemPackage

/// The lock file of a port: `/var/lock/LCK..ttyUSB0`, which names the process that has the port.
///
/// Older than flock(2) and TIOCEXCL, and an agreement like the former. The form is that of HDB
/// UUCP: a process ID in ten ASCII characters and a newline; some programs write the ID in binary.
/// See the Filesystem Hierarchy Standard, `/var/lock`.
///
/// A process ID says less than a lock: it may have been given to another process since, and means
/// nothing in another container. So a lock may look held when it is stale. Whoever is told of the
/// holder by its command's name can see that.
public struct UUCPLock {
  /// The port that it locks, as it was given.
  let port: FilePath
  /// The lock file.
  let file: FilePath

  /// How long an empty lock file may be one that is just being made, in seconds.
  static let makingTime = 5

  /// What a lock file says.
  enum Status: Hashable {
    /// There is none.
    case absent
    /// A live process has the port; nil when the file is just being made.
    case held(by: Int32?)
    /// It was made by a process that is no more.
    case stale
    /// It says nothing: it is no regular file (a symbolic link is not followed), cannot be read, or
    /// has no process ID in it. Why, where the system said it.
    case unusable(Errno?)
  }

  /// The lock of a port, whose node may be given by a link.
  init(for port: FilePath, in folder: FilePath = LinkOptions().lockFolder) {
    self.port = port
    // Below /dev the name is the path; programs that know of folders there write it like this.
    let node = (port.realPath ?? port).string
    let name = node.hasPrefix("/dev/") ? String(node.dropFirst("/dev/".count)) : node
    file = folder.appending("LCK.." + name.split(separator: "/").joined(separator: "_"))
  }

  /// What the lock file says now.
  var status: Status {
    do {
      let opened = try open()
      return Self.status(of: opened.borrowed)
    } catch .noSuchFileOrDirectory {
      return .absent
    } catch {
      return .unusable(error)
    }
  }

  /// Opens the lock file without following a link, and without waiting for a FIFO's other end.
  func open() throws(Errno) -> OwnedDescriptor {
    try OwnedDescriptor.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  }

  /// What an open lock file says.
  static func status(of descriptor: FileDescriptor) -> Status {
    var facts = Glibc.stat()
    guard fstat(descriptor.rawValue, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      return .unusable(nil)
    }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = pread(descriptor.rawValue, &bytes, bytes.count, 0)
    guard count >= 0 else { return .unusable(Errno(rawValue: errno)) }
    guard count > 0 else {
      // The folder is everybody's, and the time whatever its owner has set it to.
      let age = time(nil) &- facts.st_mtim.tv_sec
      return (0...makingTime).contains(age) ? .held(by: nil) : .stale
    }
    guard let pid = processID(in: bytes[..<count]) else { return .unusable(nil) }
    return isAlive(pid) ? .held(by: pid) : .stale
  }

  /// The process ID in a lock file's contents: the first word as a number, or four bytes in binary.
  public static func processID(in bytes: ArraySlice<UInt8>) -> Int32? {
    // No process ID fills all four bytes (proc(5), `pid_max`), and no text has a zero.
    if bytes.count == MemoryLayout<Int32>.size && bytes.contains(0) {
      let pid = bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
      return pid > 0 ? pid : nil
    }
    let words = bytes.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    guard let word = words.first, word.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int32(String(decoding: word, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether there is such a process, also one that this user may not touch.
  private static func isAlive(_ pid: Int32) -> Bool { kill(pid, 0) == 0 || errno == EPERM }

  /// Throws when somebody has the port, or may have it.
  ///
  /// - Throws: ``SerialError``: `busy`, or `lockFailed`.
  func respect() throws(SerialError) {
    switch status {
    case .absent, .stale: break
    case .held: throw busy
    case .unusable(let errno): throw failed(errno, at: file)
    }
  }

  /// The process that has the port, if its lock file says so.
  var holder: Int32? {
    if case .held(let pid) = status { pid } else { nil }
  }

  var busy: SerialError { SerialError(.busy, in: "UUCP lock", at: port, subject: file.string) }

  /// - Parameter place: the file or the folder that is the matter.
  func failed(_ errno: Errno?, at place: FilePath) -> SerialError {
    switch errno {
    // Ours, and not the lock's.
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory:
      SerialError(.system, in: "open", at: port, errno: errno)
    default:
      SerialError(.lockFailed, in: "UUCP lock", at: port, errno: errno, subject: place.string)
    }
  }
}
