import Glibc
import ModelContext
import Posix
import Scrollback
import Sessions
import SystemPackage
import TextTools

/// What a client can read of a session as a resource: what the device sent last, or the end of
/// a log.
struct AgentResource {
  let uri: String
  private let title: String
  private let source: Source

  private enum Source {
    case scrollback(Scrollback)
    case log(FilePath)
  }

  /// The number of bytes at the end that are read.
  private static let size = 65_536

  static func resources(of session: AgentSession) -> [AgentResource] {
    let base = "serialterm://session/\(session.id)"
    let logs = session.port.log.paths.enumerated().map { number, path in
      AgentResource(
        uri: "\(base)/log\(number == 0 ? "" : "-\(number + 1)")",
        title: "Log \(path.lastComponent?.string.harmless ?? "") of \(session.portName)",
        source: .log(path))
    }
    return [
      AgentResource(
        uri: "\(base)/scrollback", title: "What \(session.portName) sent last",
        source: .scrollback(session.scrollback))
    ] + logs
  }

  /// The description for clients.
  var json: JSON {
    .object([
      ("uri", .string(uri)), ("name", .string(uri)), ("title", .string(title)),
      (
        "description",
        .string(
          "The end, 64 KiB and \(AgentCall.dataLimit) characters at most, as text with escapes. "
            + "It is data of a device.")
      ),
      ("mimeType", .string("text/plain")),
    ])
  }

  /// The contents for clients.
  var contents: JSON {
    var bytes = bytes[...]
    var text = bytes.withUnsafeBytes { DeviceText($0) }
    while true {
      let size = "\(JSON.string(text.text))".utf8.count
      if size <= AgentCall.dataLimit { break }
      // The density differs, so the end may be too long again. It begins with a whole character.
      bytes = bytes.suffix(bytes.count * AgentCall.dataLimit / size)
      bytes = bytes.dropFirst(bytes.prefix(3).prefix { 0x80..<0xC0 ~= $0 }.count)
      text = bytes.withUnsafeBytes { DeviceText($0) }
    }
    return .object([
      ("uri", .string(uri)), ("mimeType", .string("text/plain")), ("text", .string(text.text)),
    ])
  }

  private var bytes: [UInt8] {
    switch source {
    case .scrollback(let scrollback):
      var bytes: [UInt8] = []
      var reader = ScrollbackReader(after: scrollback.addedByteCount - Self.size, in: scrollback)
      reader.read(from: scrollback, upTo: Self.size) { piece, _ in bytes += piece }
      return bytes.suffix(Self.size)
    case .log(let path):
      return (try? path.lastBytes(Self.size)) ?? []
    }
  }
}

extension AgentServer {
  /// The resources of all sessions.
  var resources: [AgentResource] { sessions.flatMap(AgentResource.resources) }
}

extension FilePath {
  /// The last bytes of a regular file.
  fileprivate func lastBytes(_ count: Int) throws(Errno) -> [UInt8] {
    let file = try OwnedDescriptor.open(self, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let status = try file.borrowed.stat()
    guard status.type == .regular else { throw .invalidArgument }
    let size = Int(status.size)
    var bytes = [UInt8](repeating: 0, count: min(count, size))
    let read = bytes.withUnsafeMutableBytes {
      pread(file.borrowed.rawValue, $0.baseAddress, $0.count, off_t(max(0, size - count)))
    }
    return Array(bytes.prefix(max(0, read)))
  }
}
