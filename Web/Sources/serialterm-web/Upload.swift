import Glibc
import Synchronization
import SystemPackage

/// A file that a page sends, until the session has sent it to the device. It has no name in any
/// folder, and is gone with this object, or with the process.
final class Upload: Sendable {
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

  let request: Request
  private let places: UploadPlaces
  private let place: Int
  private let file: FileDescriptor
  private let received = Mutex(0)

  /// - Throws: ``Trouble``.
  init(_ request: Request, in places: UploadPlaces) throws(Trouble) {
    (self.request, self.places) = (request, places)
    do throws(Errno) {
      file = try places.makeFile()
    } catch {
      throw Trouble("the server cannot keep the file: \(error)")
    }
    guard let place = places.begin(file, isComplete: request.size == 0) else {
      // Nothing was written to it.
      try? file.close()
      throw Trouble("other files are being sent: try again later")
    }
    self.place = place
  }

  deinit {
    places.end(place)
    // The file is removed whatever close(2) says.
    try? file.close()
  }

  /// The last part of a name, without characters that a shell or a terminal could take for
  /// something else.
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
  var isComplete: Bool { received.withLock { $0 == request.size } }

  /// Adds a piece.
  ///
  /// - Throws: ``Trouble`` if it is too much, came too late or cannot be written.
  func add(_ piece: UnsafeRawBufferPointer) throws(Trouble) {
    let count = received.withLock { $0 + piece.count }
    guard count <= request.size else { throw Trouble("the file is longer than announced") }
    guard places.advance(place, isComplete: count == request.size) else {
      throw Trouble("the file came too slowly, and another one has its place")
    }
    do {
      try file.writeAll(piece)
    } catch {
      throw Trouble("the server cannot keep the file: \(error)")
    }
    received.withLock { $0 = count }
  }

  /// The command that lets the session send the file. Its path works for processes of this user
  /// while this object exists.
  var command: String {
    BrowserCommand.line(of: [
      "command": .text("send-file"), "id": request.id, "protocol": .text(request.protocolName),
      "name": .text(Self.harmless(request.name)),
      "path": .text("/proc/\(getpid())/fd/\(file.rawValue)"),
    ])
  }

  /// Why a file is not accepted.
  struct Trouble: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }
}
