import Glibc
import Posix
package import SystemPackage
package import TerminalWidgets

/// A file that keeps for later sessions what the user typed, ran or chose.
///
/// Typed lines may be confidential. Only the user can read the file (mode 0600, in folders of mode
/// 0700), and neither the file nor its folders may be symbolic links. Errors are ignored: a session
/// must not fail because of its history.
package struct HistoryFile {
  /// The folder; nil if the user has none.
  private let place: FilePath?
  /// The name of the file.
  package let name: String
  /// The line that was kept last, to keep a repeated line only once.
  private var last: String?

  /// The maximum number of lines in the file.
  package static let limit = 1_000
  /// The number of lines that are kept when the file is full, so that not every new
  /// line rewrites it.
  private static let remainder = 750
  /// The maximum size in bytes. A larger file is not a history, and is not read: typed lines may
  /// be long, names of commands are not.
  private let sizeLimit: Int

  /// What a file keeps. All but typed lines are the same for all profiles.
  package enum Content {
    /// The typed lines of a profile; nil for sessions without one.
    case lines(ofProfile: String?)
    /// The shell commands.
    case shellCommands
    /// The commands that were run from the palette.
    case palette
    /// Whether the user wants the status line.
    case statusLine
  }

  /// Chooses the file, without opening it.
  ///
  /// - Parameter place: the state folder of the user; nil for none.
  package init(of content: Content, in place: FilePath?) {
    // No profile has one of the fixed names, because a period would be encoded.
    name =
      switch content {
      case .lines(let profile): Self.fileName(for: profile ?? "default")
      case .shellCommands: "run-command.txt"
      case .palette: "palette.txt"
      case .statusLine: "status-line.txt"
      }
    sizeLimit =
      switch content {
      case .lines, .shellCommands: 16 * 1_048_576
      case .palette, .statusLine: 65_536
      }
    self.place = place
  }

  /// The file name of a profile, percent-encoded.
  private static func fileName(for profile: String) -> String {
    profile.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        String(Unicode.Scalar(byte))
      default: "%\(String(byte / 16, radix: 16))\(String(byte % 16, radix: 16))"
      }
    }.joined()
  }

  /// The state folder of the user: `$XDG_STATE_HOME`, otherwise `~/.local/state`. A relative path
  /// is ignored, as the XDG Base Directory Specification says.
  package static func stateFolder() -> FilePath? {
    func folder(_ variable: String) -> FilePath? {
      guard let value = getenv(variable) else { return nil }
      let path = FilePath(String(cString: value))
      return path.isAbsolute ? path : nil
    }
    return folder("XDG_STATE_HOME") ?? folder("HOME")?.appending(".local").appending("state")
  }

  /// Reads the lines; empty if the file does not exist.
  package mutating func load() -> History {
    guard let bytes = try? contents() else { return History() }
    let history = History(parsing: String(decoding: bytes, as: UTF8.self), capacity: Self.limit)
    last = history.lines.last
    return history
  }

  /// Appends a line after those that other sessions have appended.
  package mutating func append(_ line: String) {
    guard !line.isEmpty, line != last else { return }
    last = line
    // A full disk must not stop the session.
    _ = try? write(line)
  }

  private func contents() throws(Errno) -> [UInt8] {
    let folder = try openFolder(creates: false)
    return try contents(of: Self.openFile(path(of: name, in: folder), O_RDONLY))
  }

  private func write(_ line: String) throws(Errno) {
    let folder = try openFolder(creates: true)
    let path = path(of: name, in: folder)
    let file = try Self.openFile(path, O_RDWR | O_CREAT | O_APPEND)
    let bytes = try contents(of: file)
    var addition = History()
    addition.append(line)
    guard bytes.count(where: { $0 == UInt8(ascii: "\n") }) >= Self.limit else {
      return try Self.write(addition.serialised, to: file)
    }
    // A new file replaces the old one, so that one of them is always complete.
    let old = History(parsing: String(decoding: bytes, as: UTF8.self), capacity: Self.remainder)
    let newPath = self.path(of: "\(name).\(getpid())", in: folder)
    let newFile = try Self.openFile(newPath, O_WRONLY | O_CREAT | O_TRUNC)
    do {
      try Self.write(old.serialised + addition.serialised, to: newFile)
      try systemCall {
        newPath.withPlatformString { new in path.withPlatformString { rename(new, $0) } }
      }
    } catch {
      _ = newPath.withPlatformString { unlink($0) }
      throw error
    }
  }

  // MARK: Files

  /// Opens the folder of all histories.
  private func openFolder(creates: Bool) throws(Errno) -> OwnedDescriptor {
    guard let place else { throw .noSuchFileOrDirectory }
    if creates { Self.makeFolders(upTo: place) }
    let own = try Self.openFolder(place.appending("serialterm"), creates: creates)
    return try Self.openFolder(path(of: "history", in: own), creates: creates)
  }

  /// Creates missing folders. One that cannot be created fails to open later.
  private static func makeFolders(upTo path: FilePath) {
    guard (try? path.stat()) == nil, path.lastComponent != nil else { return }
    makeFolders(upTo: path.removingLastComponent())
    _ = path.withPlatformString { mkdir($0, 0o700) }
  }

  private static func openFolder(
    _ path: FilePath, creates: Bool
  ) throws(Errno) -> OwnedDescriptor {
    // The folder may already exist.
    if creates { _ = path.withPlatformString { mkdir($0, 0o700) } }
    return try checked(OwnedDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
  }

  /// Opens a file. Without O_NONBLOCK, opening a named pipe would block. A pipe
  /// is refused afterwards.
  private static func openFile(_ path: FilePath, _ flags: CInt) throws(Errno) -> OwnedDescriptor {
    let file = try checked(
      OwnedDescriptor.open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, permissions: 0o600))
    guard try file.borrowed.stat().type == .regular else { throw .invalidArgument }
    return file
  }

  /// Refuses a file of another user.
  private static func checked(_ file: consuming OwnedDescriptor) throws(Errno) -> OwnedDescriptor {
    guard try file.borrowed.stat().userID == UserID(rawValue: geteuid()) else {
      throw .notPermitted
    }
    return file
  }

  /// A path through an open folder; see proc_pid_fd(5).
  private func path(of name: String, in folder: borrowing OwnedDescriptor) -> FilePath {
    FilePath("/proc/self/fd/\(folder.borrowed.rawValue)").appending(name)
  }

  private func contents(of file: borrowing OwnedDescriptor) throws(Errno) -> [UInt8] {
    let size = Int(try file.borrowed.stat().size)
    guard size <= sizeLimit else { throw .fileTooLarge }
    guard size > 0 else { return [] }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { buffer.deallocate() }
    var count = 0
    while count < size,
      case .bytes(let more) = try file.borrowed.readAvailable(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
    {
      count += more
    }
    return Array(buffer[..<count])
  }

  /// Writes a line with one call, so that lines of several sessions do not mix.
  private static func write(
    _ text: String, to file: borrowing OwnedDescriptor
  ) throws(Errno) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
    defer { bytes.deallocate() }
    bytes.copyBytes(from: text.utf8)
    var rest = UnsafeRawBufferPointer(bytes)[...]
    while !rest.isEmpty {
      guard case .bytes(let count) = try file.borrowed.writeAvailable(.init(rebasing: rest)) else {
        throw .wouldBlock
      }
      rest = rest.dropFirst(count)
    }
  }
}
