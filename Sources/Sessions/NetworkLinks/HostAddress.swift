/// A host and a TCP port: `lab.example:4001`, `192.0.2.7:4001`, `[2001:db8::7]:4001`.
public struct HostAddress: Hashable, Sendable {
  /// The name or the address, without brackets.
  public let host: String
  /// The port, 1 to 65535.
  public let port: UInt16

  /// Creates an address.
  public init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Parses an address.
  ///
  /// - Throws: ``HostAddressError``.
  public init(parsing text: String) throws(HostAddressError) {
    let host: Substring
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw .noBracket }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
      guard rest.hasPrefix(":") || rest.isEmpty else { throw .noBracket }
    } else {
      let colon = text.lastIndex(of: ":") ?? text.endIndex
      host = text[..<colon]
      rest = text[colon...]
      // An IPv6 address contains several colons, so it is unclear which one precedes the port.
      if host.contains(":") { throw .bareIPv6 }
    }
    guard !host.isEmpty else { throw .noHost }
    // No name contains a control character or a space.
    guard host.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }), !host.contains("/") else {
      throw .badHost
    }
    guard rest.count > 1 else { throw .noPort }
    let digits = rest.dropFirst()
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits), port > 0
    else { throw .badPort }
    self.init(host: String(host), port: port)
  }
}

extension HostAddress: CustomStringConvertible {
  /// The text in the form of ``init(parsing:)``.
  public var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// Why a text is not an address of a host.
public enum HostAddressError: Error, Hashable, Sendable {
  case noHost
  /// The name contains characters that are not allowed in names.
  case badHost
  case noPort
  /// The port is not a number from 1 to 65535.
  case badPort
  /// An IPv6 address without brackets.
  case bareIPv6
  /// The closing bracket is missing, or is not followed by a port.
  case noBracket
}
