import Glibc
import NIOHTTP1

/// Which requests are answered: those that reach the server by a name of its own, and WebSockets of
/// pages that it has served itself.
///
/// A page of somebody else's, open in the same browser, can send requests to this computer, also by
/// a name of its own that it lets point here. The first have a foreign `Origin`, the second a foreign
/// `Host`.
struct RequestRules: Sendable {
  /// The names of this computer in lower case, besides `localhost` and numeric addresses.
  let names: Set<String>

  /// - Parameter names: the address that the server listens at, and names that the user gives.
  init(names: [String]) {
    var own = Set(names.map { $0.lowercased() })
    var buffer = [CChar](repeating: 0, count: 256)
    if gethostname(&buffer, buffer.count - 1) == 0 {
      let name = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      own.formUnion([name.lowercased(), "\(name.lowercased()).local"])
    }
    self.names = own
  }

  /// Why a request is refused; nil if it is answered.
  func refusal(of head: HTTPRequestHead) -> Refusal? {
    let hosts = head.headers["host"]
    guard hosts.count == 1, let host = Authority(hosts[0]) else {
      return Refusal(.badRequest, "The request names no host.")
    }
    guard isOwn(host.name) else {
      return Refusal(
        .misdirectedRequest,
        "This computer does not know the name '\(host.name)'. If it is right, start the page with "
          + "--web-host \(host.name).")
    }
    let origins = head.headers["origin"]
    guard origins.count <= 1 else { return Refusal(.badRequest, "The request has two origins.") }
    guard let origin = origins.first else { return nil }
    guard let authority = Self.authority(ofOrigin: origin) else {
      return Refusal(.forbidden, "Pages of another origin are refused.")
    }
    // A reverse proxy may have another port, and may or may not pass the host on.
    let isSame = authority == host || names.contains(authority.name)
    return isSame ? nil : Refusal(.forbidden, "Pages of another origin are refused.")
  }

  private func isOwn(_ name: String) -> Bool {
    name == "localhost" || names.contains(name) || Self.isNumeric(name)
  }

  /// Whether a name is a numeric address, which nobody's name server decides about.
  private static func isNumeric(_ name: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1
  }

  private static func authority(ofOrigin origin: String) -> Authority? {
    for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
      return Authority(String(origin.dropFirst(scheme.count)))
    }
    return nil
  }

  /// A refused request.
  struct Refusal: Equatable {
    let status: HTTPResponseStatus
    let reason: String

    init(_ status: HTTPResponseStatus, _ reason: String) {
      (self.status, self.reason) = (status, reason)
    }
  }

  /// A host and a port, as `Host` and `Origin` have them.
  struct Authority: Equatable {
    /// In lower case, without the brackets of IPv6 and without a dot at the end.
    let name: String
    let port: Int?

    init?(_ text: String) {
      guard text.utf8.count <= 255, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
      var name = text[...]
      var port: Int?
      // The colons of an address of IPv6 are within brackets.
      if let colon = text.lastIndex(of: ":"), text[colon...].allSatisfy({ $0 != "]" }) {
        guard let number = Int(text[text.index(after: colon)...]), (1...65_535).contains(number)
        else { return nil }
        port = number
        name = text[..<colon]
      }
      if name.hasPrefix("[") {
        guard name.hasSuffix("]") else { return nil }
        name = name.dropFirst().dropLast()
      } else if name.contains(":") {
        return nil
      }
      if name.hasSuffix(".") { name = name.dropLast() }
      guard !name.isEmpty else { return nil }
      (self.name, self.port) = (name.lowercased(), port)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
        true
      default: false
      }
    }
  }
}
