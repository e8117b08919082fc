package import DeviceWatch
package import EventLoop
import NetworkLinks
import Posix
package import Reconnecting
package import SerialCore
package import Telnet
package import SystemPackage

/// Ports behind a network: byte streams over TCP, ports of a server (RFC 2217), telnet servers,
/// Unix sockets, ports of another computer through ssh, places of labgrid.
///
/// Only an attempt to connect shows whether they are there.
package struct NetworkProvider: LinkProvider {
  /// The forms of targets.
  private enum Form: String, CaseIterable {
    case tcp = "tcp://"
    case rfc2217 = "rfc2217://"
    case telnet = "telnet://"
    case unix = "unix:"
    case ssh = "ssh://"
    case labgrid = "labgrid:"

    /// The expected form, for messages.
    var expected: String {
      switch self {
      case .tcp: rawValue + "HOST:PORT, or \(rawValue)[ADDRESS]:PORT for IPv6"
      case .rfc2217, .telnet:
        rawValue
          + "HOST:PORT, \(rawValue)[ADDRESS]:PORT for IPv6, or \(rawValue)/PATH for a Unix socket"
      case .unix: rawValue + "PATH"
      case .ssh: rawValue + "[USER@]HOST/TARGET, with the TARGET of the other computer"
      case .labgrid: rawValue + "PLACE, or \(rawValue)PLACE/NAME for one of several serial ports"
      }
    }

    var kind: Endpoint.Kind {
      switch self {
      case .tcp: .tcp
      case .rfc2217: .rfc2217
      case .telnet: .telnet
      case .unix: .unix
      case .ssh: .ssh
      case .labgrid: .labgrid
      }
    }

    /// The groups of options that the other end supports: RFC 2217 servers and remote serialterms
    /// have a serial port.
    var options: LinkOptionGroups {
      switch self {
      case .rfc2217, .ssh, .labgrid: [.settings, .outputLines]
      case .tcp, .telnet, .unix: []
      }
    }

    /// Other prefixes for such a target that users know from other programs.
    var lookAlikes: [String] {
      switch self {
      case .tcp: ["tcp:", "socket://", "tcp4:", "tcp6:"]
      case .rfc2217: ["rfc2217:"]
      case .telnet: ["telnet:"]
      case .unix: ["unix://", "unix-connect:"]
      case .ssh: ["ssh:"]
      case .labgrid: ["lg:"]
      }
    }

    var streamProtocol: StreamProtocol {
      switch self {
      case .rfc2217, .ssh, .labgrid: .rfc2217
      case .telnet: .telnet
      case .tcp, .unix: .raw
      }
    }
  }

  private let form: Form
  /// Tells a server that is a serialterm who the user is; nil for the account of this process.
  package var introduction: SharingMessage.Introduction?

  /// The prefix before the path in the target of a Unix socket; nil for another target.
  fileprivate static func socketPrefix(of text: String) -> String? {
    if text.hasPrefix(Form.unix.rawValue) { return Form.unix.rawValue }
    // An absolute path: no host begins with a slash.
    return [Form.rfc2217, .telnet].map(\.rawValue).first { text.hasPrefix($0 + "/") }
  }

  /// Byte streams over TCP.
  package static let tcp = NetworkProvider(form: .tcp)
  /// Ports of a server.
  package static let rfc2217 = NetworkProvider(form: .rfc2217)
  /// Telnet servers without RFC 2217.
  package static let telnet = NetworkProvider(form: .telnet)
  /// Unix sockets.
  package static let unix = NetworkProvider(form: .unix)
  /// Ports of another computer, through ssh(1).
  package static let ssh = NetworkProvider(form: .ssh)
  /// Consoles of places of labgrid.
  package static let labgrid = NetworkProvider(form: .labgrid)

  package var kind: Endpoint.Kind { form.kind }

  /// Five seconds for ssh, because each attempt is a login, and servers count logins; and for
  /// labgrid, whose client takes a second to start.
  package var attemptInterval: Duration {
    form == .ssh || form == .labgrid ? .seconds(5) : ReturnPatience.blindInterval
  }

  package var options: LinkOptionGroups { form.options }

  package func parse(_ text: String) -> Result<Target, TargetError>? {
    let isLookAlike = form.lookAlikes.contains { text.lowercased().hasPrefix($0) }
    guard text.hasPrefix(form.rawValue), form != .unix || !isLookAlike else {
      return isLookAlike ? .failure(.malformed(text, expected: [form.expected])) : nil
    }
    guard Self.address(of: text, form) != nil else {
      return .failure(.malformed(text, expected: [form.expected]))
    }
    return .success(.endpoint(Endpoint(kind, text)))
  }

  /// The address in a target of the given form; nil if it contains none.
  private static func address(of text: String, _ form: Form) -> NetworkLink.Address? {
    var name = String(text.dropFirst(form.rawValue.count))
    switch form {
    case .unix: return name.isEmpty ? nil : .path(FilePath(name))
    case .ssh: return SSHAddress(parsing: name).map { .ssh($0) }
    case .labgrid: return LabgridPlace(parsing: name).map { .labgrid($0) }
    case .rfc2217 where Self.socketPrefix(of: text) != nil,
      .telnet where Self.socketPrefix(of: text) != nil:
      return name.hasSuffix("/") ? nil : .path(FilePath(name))
    case .tcp, .rfc2217, .telnet: break
    }
    // Some programs end a URL with a slash.
    if name.hasSuffix("/") { name.removeLast() }
    return (try? HostAddress(parsing: name)).map { .host($0) }
  }

  package func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] {
    text.isEmpty ? [] : [TargetCompletion(form.rawValue)]
  }

  package func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    guard let address = Self.address(of: "\(endpoint)", form) else {
      preconditionFailure("\(endpoint) was parsed before")
    }
    return NetworkLink(
      to: endpoint, at: address, speaking: form.streamProtocol, options: options,
      as: form.streamProtocol == .rfc2217 ? introduction ?? .own : .unnamed, on: loop)
  }

  package func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? { nil }
}

extension Endpoint.Kind {
  /// A byte stream over TCP.
  package static let tcp = Endpoint.Kind("tcp")
  /// A port of a server: RFC 2217.
  package static let rfc2217 = Endpoint.Kind("rfc2217")
  /// A telnet server without RFC 2217.
  package static let telnet = Endpoint.Kind("telnet")
  /// A Unix socket.
  package static let unix = Endpoint.Kind("unix")
  /// A port of another computer, through ssh(1).
  package static let ssh = Endpoint.Kind("ssh")
  /// The console of a place of labgrid.
  package static let labgrid = Endpoint.Kind("labgrid")
}

extension Endpoint {
  /// The path of the Unix socket at the far end; nil for any other endpoint.
  package var socketPath: FilePath? {
    guard [.unix, .rfc2217, .telnet].contains(kind) else { return nil }
    let name = "\(self)"
    return NetworkProvider.socketPrefix(of: name).map { FilePath(String(name.dropFirst($0.count))) }
  }

  /// A single name for an endpoint that can be written in several ways: the host in lower
  /// case, the path of a socket absolute and without links. A host's name and its address stay
  /// two different endpoints.
  package var canonicalName: String {
    let name = "\(self)"
    if let path = socketPath, let prefix = NetworkProvider.socketPrefix(of: name) {
      return prefix + (path.realPath ?? path.absolute).string
    }
    switch kind {
    case .tcp, .rfc2217, .telnet:
      return (name.hasSuffix("/") ? String(name.dropLast()) : name).lowercased()
    default: return name
    }
  }

  /// The target that uses the same place through another protocol; nil if this endpoint names no
  /// host with a port and no Unix socket.
  package func name(speaking other: StreamProtocol) -> String? {
    guard [.tcp, .rfc2217, .telnet, .unix].contains(kind) else { return nil }
    // The path of a socket is absolute in this form, as the protocols over a socket need it.
    let (name, isPath) = (canonicalName, socketPath != nil)
    guard let colon = name.firstIndex(of: ":") else { return nil }
    let rest = name[colon...].dropFirst()
    let place = kind == .unix ? rest : rest.dropFirst(2)
    let prefix =
      switch other {
      case .raw: isPath ? "unix:" : "tcp://"
      case .telnet, .rfc2217: "\(other.rawValue)://"
      }
    return prefix + place
  }
}

extension FilePath {
  /// The absolute path; the path itself if the working directory is gone.
  fileprivate var absolute: FilePath {
    guard isRelative, let folder = FilePath(".").realPath else { return lexicallyNormalized() }
    return folder.appending(components).lexicallyNormalized()
  }
}
