import DeviceWatch
import Sessions
import SystemPackage
import TextTools

/// A port in Wireshark's list of interfaces. Its name is also a part of files and of settings of
/// Wireshark, so that it has no slash.
enum CaptureInterface {
  /// A device that is present, or that was when Wireshark made its list.
  case device(Target)
  /// A session of this user in another program.
  case session(RunningSession)
  /// Any TARGET, which is an option.
  case named

  /// An entry of the list.
  struct Entry: Hashable {
    let name: String
    /// What it is, for people.
    let title: String
  }

  private static let program = "serialterm"
  private static let devicePrefix = "\(program)-"
  private static let sessionPrefix = "\(program)-session-"

  // MARK: The list

  /// The interfaces: the devices, the sessions, and one for any other TARGET.
  static func entries(of devices: [Device], _ sessions: [RunningSession]) -> [Entry] {
    devices.map {
      Entry(
        name: devicePrefix + ($0.node.lastComponent?.string ?? ""), title: "\($0.name), \($0.node)")
    }
      + sessions.map {
        Entry(
          name: name(of: $0, among: sessions),
          title: "session at \($0.summary.port) (\($0.summary.command), process \($0.pid))")
      }
      + [Entry(name: program, title: "Serial port by name")]
  }

  /// The name of a session: its port, or its process if that is not unique.
  private static func name(of session: RunningSession, among sessions: [RunningSession]) -> String {
    let port = shortPort(of: session)
    let isUnique = sessions.count { shortPort(of: $0) == port } == 1
    return sessionPrefix + (isUnique ? port : "\(session.pid)-\(port)")
  }

  private static func shortPort(of session: RunningSession) -> String {
    let last = session.summary.port.split(separator: "/").last ?? "port"
    return String(
      decoding: last.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: One of them

  /// The kind of an interface, by its name.
  enum Kind {
    case device, session, named
  }

  /// The kind of the interface of a name; nil if it is none of this program.
  static func kind(of name: String) -> Kind? {
    if name == program { return .named }
    if name.hasPrefix(sessionPrefix) { return .session }
    return name.hasPrefix(devicePrefix) ? .device : nil
  }

  /// Finds the interface of a name.
  ///
  /// - Throws: ``Failure`` if there is none.
  init(named name: String) throws(Failure) {
    switch Self.kind(of: name) {
    case .named: self = .named
    case .device:
      self = .device(try Target(parsing: String(name.dropFirst(Self.devicePrefix.count))))
    case .session:
      let sessions = RunningSession.all()
      guard let session = sessions.first(where: { Self.name(of: $0, among: sessions) == name })
      else {
        throw Failure(
          .deviceNotFound, "this session has ended. Refresh the list of interfaces (F5).")
      }
      self = .session(session)
    case nil: throw Failure(.usage, "no interface '\(name.harmless)'.")
    }
  }
}
