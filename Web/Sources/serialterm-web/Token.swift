import Glibc
import SystemPackage

/// The secret in the link: who knows it may watch, and write with the pen.
///
/// It is kept in a file of the user, so that links and bookmarks work after a restart.
struct Token: Sendable {
  let text: String

  /// The number of random bytes, and of the characters that show them.
  private static let byteCount = 18
  static let length = 24

  /// Whether another text is the token. The time that this takes does not depend on where they
  /// differ.
  func matches(_ other: String) -> Bool {
    let (own, others) = (Array(text.utf8), Array(other.utf8))
    var difference = own.count ^ others.count
    for (index, byte) in own.enumerated() {
      difference |= Int(byte ^ (index < others.count ? others[index] : 0))
    }
    return difference == 0
  }

  /// Makes a new one of random bytes.
  static func random() -> Token {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return Token(text: String((0..<length).map { _ in digits[Int(generator.next() >> 58)] }))
  }

  /// The file of the user's token: `$XDG_STATE_HOME/serialterm/web-token`, otherwise
  /// `~/.local/state/serialterm/web-token`. A relative path counts as none, as the specification
  /// says.
  ///
  /// - Throws: ``FileError`` if the user has no folder for it.
  static func file() throws(FileError) -> FilePath {
    func variable(_ name: String) -> FilePath? {
      guard let value = getenv(name) else { return nil }
      let path = FilePath(String(cString: value))
      return path.isAbsolute ? path : nil
    }
    let state =
      variable("XDG_STATE_HOME") ?? variable("HOME")?.appending(".local").appending("state")
    guard let state else {
      throw FileError("cannot keep the token of the link: set HOME or XDG_STATE_HOME.")
    }
    return state.appending("serialterm").appending("web-token")
  }

  /// The token of a file. If there is none, it is made.
  ///
  /// - Parameter path: the file, whose folder is made with its parents.
  /// - Throws: ``FileError``.
  static func kept(at path: FilePath) throws(FileError) -> Token {
    let folder = path.removingLastComponent()
    if let token = try read(path) { return token }
    try makeFolders(folder)
    let token = random()
    // The file gets its name when it is complete, and never in place of another one.
    let unfinished = folder.appending("web-token.\(random().text)")
    let file = unfinished.withPlatformString {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard file >= 0 else { throw FileError(path, errno) }
    defer { _ = unfinished.withPlatformString { unlink($0) } }
    let line = token.text + "\n"
    let isWritten = line.withCString { write(file, $0, line.utf8.count) == line.utf8.count }
    let problem = isWritten ? 0 : errno
    close(file)
    guard isWritten else { throw FileError(path, problem) }
    let isLinked = unfinished.withPlatformString { one in
      path.withPlatformString { link(one, $0) == 0 }
    }
    if isLinked { return token }
    // Another server has made it in the meantime.
    if let token = try read(path) { return token }
    // Not every file system has links.
    let isRenamed = unfinished.withPlatformString { one in
      path.withPlatformString { rename(one, $0) == 0 }
    }
    guard isRenamed else { throw FileError(path, errno) }
    return token
  }

  /// The token of a file; nil if the file does not exist.
  ///
  /// - Throws: ``FileError``, also if others than the user can read it, or it is not a token.
  static func read(_ path: FilePath) throws(FileError) -> Token? {
    let file = path.withPlatformString { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw FileError(path, errno)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileError(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else { throw FileError(path, "must be a file of yours that nobody else can read (chmod 600)") }
    var bytes = [UInt8](repeating: 0, count: length + 2)
    let count = Glibc.read(file, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let word = text.hasSuffix("\n") ? String(text.dropLast()) : text
    guard word.utf8.count == length, word.utf8.allSatisfy(isDigit) else {
      throw FileError(path, "is not a token: remove the file, and a new one is made")
    }
    return Token(text: word)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Makes a folder that only the user can use, and its parents.
  private static func makeFolders(_ folder: FilePath) throws(FileError) {
    if folder.withPlatformString({ mkdir($0, 0o700) }) == 0 || errno == EEXIST { return }
    let reason = errno
    let parent = folder.removingLastComponent()
    guard reason == ENOENT, parent != folder else { throw FileError(folder, reason) }
    try makeFolders(parent)
    guard folder.withPlatformString({ mkdir($0, 0o700) }) == 0 || errno == EEXIST else {
      throw FileError(folder, errno)
    }
  }

  /// The reason why the token's file cannot be used.
  struct FileError: Error, CustomStringConvertible {
    let description: String

    fileprivate init(_ description: String) { self.description = description }

    init(_ path: FilePath, _ reason: String) { description = "\(path) \(reason)." }

    init(_ path: FilePath, _ number: CInt) {
      description = "cannot use \(path): \(String(cString: strerror(number)))."
    }
  }
}
