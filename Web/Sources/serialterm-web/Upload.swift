import Glibc
import Synchronization
import SystemPackage

/// A file that a page sends, until the session has sent it to the device: in a folder of its own, which only
/// this user can use.
final class Upload {
  /// What the page announces.
  struct Request: Equatable {
    let id: BrowserCommand.Scalar
    /// The name of the file, which some protocols tell the device.
    let name: String
    /// The size in bytes.
    let size: Int
    let protocolName: String
  }

  /// The size of the largest file in bytes.
  static let largest = 64 << 20
  /// The number of files of all pages at one time.
  private static let mostFiles = 8
  private static let fileCount = Atomic<Int>(0)

  let request: Request
  private let name: String
  private let place: String
  private let folder: FileDescriptor
  private let file: FileDescriptor
  private var received = 0

  /// - Throws: ``Trouble``.
  init(_ request: Request) throws(Trouble) {
    let others = Self.fileCount.wrappingAdd(1, ordering: .relaxed).oldValue
    do throws(Trouble) {
      guard others < Self.mostFiles else {
        throw Trouble("other files are being sent: try again later")
      }
      name = Self.harmless(request.name)
      place = try Self.makeFolder()
      folder = try Self.descriptor(open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
      file = try Self.descriptor(
        openat(folder.rawValue, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    } catch {
      Self.fileCount.wrappingSubtract(1, ordering: .relaxed)
      throw error
    }
    self.request = request
  }

  deinit {
    unlinkat(folder.rawValue, name, 0)
    rmdir(place)
    try? file.close()
    try? folder.close()
    Self.fileCount.wrappingSubtract(1, ordering: .relaxed)
  }

  private static func makeFolder() throws(Trouble) -> String {
    var template = Array("/tmp/serialterm-web-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { throw Trouble(errno) }
    return String(cString: path)
  }

  private static func descriptor(_ number: CInt) throws(Trouble) -> FileDescriptor {
    guard number >= 0 else { throw Trouble(errno) }
    return FileDescriptor(rawValue: number)
  }

  /// The last part of a name, without characters that a shell or a terminal could take for something
  /// else.
  static func harmless(_ name: String) -> String {
    let last = name.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? []
    let kept = last.map { scalar -> Character in
      let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      return isPlain || "-_.+ ".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
    }
    var text = String(kept.prefix(60))
    while let first = text.first, first == "." || first == "-" || first == " " {
      text.removeFirst()
    }
    return text.isEmpty ? "file" : text
  }

  /// Whether the whole file was received.
  var isComplete: Bool { received == request.size }

  /// Adds a piece.
  ///
  /// - Throws: ``Trouble`` if it is too much, or cannot be written.
  func add(_ piece: UnsafeRawBufferPointer) throws(Trouble) {
    guard piece.count <= request.size - received else {
      throw Trouble("the file is longer than announced")
    }
    do {
      try file.writeAll(piece)
    } catch {
      throw Trouble("the server cannot keep the file: \(error)")
    }
    received += piece.count
  }

  /// The path by which another process of this user reads the file while this object exists. It leads
  /// through the open folder.
  var path: String { "/proc/\(getpid())/fd/\(folder.rawValue)/\(name)" }

  /// Why a file is not accepted.
  struct Trouble: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    init(_ number: CInt) {
      reason = "the server cannot keep the file: \(String(cString: strerror(number)))"
    }
  }
}
