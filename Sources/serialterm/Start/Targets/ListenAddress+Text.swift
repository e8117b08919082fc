import NetworkLinks
import Sessions
import SystemPackage
import Telnet
import TextTools

extension PortServer.ListenAddress {
  /// Parses a port, a host with a port, or a path: `4000`, `lab:4000,raw`, `./board.sock`. A comma
  /// and a protocol may follow. Nil for any other text.
  init?(naming text: String) {
    if let (place, clientProtocol) = Self.split(text), place.contains("/") {
      self.init(.path(FilePath(place)), speaking: clientProtocol)
      return
    }
    guard let listenAddress = try? Self.init(listening: text) else { return nil }
    self = listenAddress
  }

  /// Parses a port, or a host with a port. A comma and a protocol may follow.
  ///
  /// - Throws: ``HostAddressError``.
  init(listening text: String) throws(HostAddressError) {
    guard let (place, clientProtocol) = Self.split(text) else { throw .badPort }
    let isPort = place.utf8.allSatisfy { (0x30...0x39).contains($0) }
    self.init(
      .host(try HostAddress(parsing: isPort ? "127.0.0.1:\(place)" : place)),
      speaking: clientProtocol)
  }

  /// Parses the path of a socket. A comma and a protocol may follow. Nil for an empty path.
  init?(path text: String) {
    guard let (path, clientProtocol) = Self.split(text), !path.isEmpty else { return nil }
    self.init(.path(FilePath(path)), speaking: clientProtocol)
  }

  /// Separates a protocol that follows a comma. A comma without a protocol after it is a part
  /// of the path.
  private static func split(_ text: String) -> (place: String, clientProtocol: StreamProtocol?)? {
    guard let comma = text.lastIndex(of: ",") else { return (text, nil) }
    let name = String(text[text.index(after: comma)...])
    guard let clientProtocol = StreamProtocol(rawValue: name) else {
      return text.contains("/") ? (text, nil) : nil
    }
    return (String(text[..<comma]), clientProtocol)
  }

  /// The place as text.
  var name: String {
    switch place {
    case .standardStreams: "standard input"
    case .host(let address): address.description.harmless
    case .path(let path): path.string.harmless
    }
  }

  /// A warning for a user who lets other computers connect; nil if only this computer can connect.
  func warning(allowing allowed: [AddressRange]) -> String? {
    guard case .host(let address) = place, !address.isLoopback else { return nil }
    let who =
      allowed.isEmpty
      ? address.isEveryAddress
        ? "every computer that reaches this one"
        : "every computer that reaches \(address.host.harmless)"
      : "the computers that --allow names"
    return "warning: \(who) can use the device at port \(address.port). There is no password"
      + (allowed.isEmpty ? "; --allow says from where, ssh:// needs no open port." : ".")
  }
}

extension HostAddress {
  /// Whether only programs of this computer can connect. A name other than `localhost`
  /// may lead anywhere.
  var isLoopback: Bool {
    host == "localhost" || AddressRange(parsing: "127.0.0.0/8")?.contains(host) == true
      || host == "::1"
  }

  /// Whether the host stands for all addresses of this computer.
  fileprivate var isEveryAddress: Bool { host == "0.0.0.0" || host == "::" }
}
