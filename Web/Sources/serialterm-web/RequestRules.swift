import Glibc
import NIOHTTP1

/// Which requests are answered: those that reach the server by a name of its own, and WebSockets
/// of pages that it has served itself.
///
/// A page of somebody else's, open in the same browser, can send requests to this computer, also
/// by a name of its own that it lets point here. The first have a foreign `Origin`, the second a
/// foreign `Host`. Another port of this computer is another origin (RFC 6454, 5): it may be of
/// another user, or of a program that shows pages of others.
struct RequestRules: Sendable {
  /// The names of this computer in lower case, besides `localhost` and numeric addresses.
  private let names: Set<String>
  /// What browsers have before the path, where the user says that a reverse proxy is between: TLS
  /// ends there, and it may change the host and leave out the port.
  private let proxies: [Authority]

  /// - Parameters:
  ///   - host: the address that the server listens at.
  ///   - proxies: names that the user gives, each with a port if it is not that of its scheme.
  init(host: String, proxies: [Authority]) {
    var own = Set(proxies.map(\.name) + [host.lowercased()])
    var buffer = [CChar](repeating: 0, count: 256)
    if gethostname(&buffer, buffer.count - 1) == 0 {
      let name = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      own.formUnion([name.lowercased(), "\(name.lowercased()).local"])
    }
    (names, self.proxies) = (own, proxies)
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
        "This computer does not know the name '\(Self.shown(host.name))'.",
        "If it is right, start the page with --web-host \(Self.shown(host.name)). If a reverse proxy "
          + "has put it there, it must pass the host instead (\(Self.hostLine)).")
    }
    let origins = head.headers["origin"]
    guard origins.count <= 1 else { return Refusal(.badRequest, "The request has two origins.") }
    guard let text = origins.first else { return nil }
    guard let origin = Origin(text) else {
      return Refusal(.forbidden, "Pages of the origin '\(Self.shown(text))' are refused.")
    }
    guard isOwn(origin, reaching: host) else {
      return Refusal(
        .forbidden,
        "The page of \(Self.shown("\(origin)")) is refused: requests arrive for "
          + "\(Self.shown(hosts[0])).",
        "If a reverse proxy of yours is between, start the page with --web-host "
          + "\(Self.shown(origin.authority))."
          + (origin.name == host.name
            ? "" : " The proxy should pass the host, too (\(Self.hostLine))."))
    }
    return nil
  }

  /// Why a WebSocket of a page fails, for the page: a browser says nothing about it.
  ///
  /// - Parameters:
  ///   - head: the request of the question.
  ///   - origin: the origin of the page.
  func explanation(for head: HTTPRequestHead, of origin: String) -> String {
    var head = head
    head.headers.replaceOrAdd(name: "Origin", value: origin)
    return refusal(of: head)?.reason ?? Self.upgradeAdvice
  }

  /// How a proxy passes the name by which browsers reach it.
  private static let hostLine = "nginx: proxy_set_header Host $http_host;"

  /// A name of a request for a message, in which the rest must have room.
  private static func shown(_ name: String) -> String { Log.cleaned(name, upTo: 100) }

  /// What to do if a WebSocket's request arrives as another one, or not at all.
  static let upgradeAdvice =
    "The page's WebSocket does not reach the server, or was closed before it began. If a reverse "
    + "proxy is between, it must pass Upgrade and Connection (nginx: proxy_http_version 1.1; "
    + "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;)."

  /// Whether an answered request says that it comes from a page of this server. Browsers do so
  /// truthfully, and other programs as they like.
  static func isOfPage(_ head: HTTPRequestHead) -> Bool { head.headers.contains(name: "origin") }

  private func isOwn(_ name: String) -> Bool {
    name == "localhost" || names.contains(name) || Self.isNumeric(name)
  }

  private func isOwn(_ origin: Origin, reaching host: Authority) -> Bool {
    // The server itself speaks no TLS, but a proxy does, and may pass its port on. Without a port
    // the host can be that of a proxy at any port.
    origin == Origin(.http, host)
      || proxies.contains {
        origin == Origin(.http, $0) || origin == Origin(.https, $0)
          || (host.port != nil && host.name == $0.name && origin == Origin(.https, host))
      }
  }

  /// Whether a name is a numeric address, which nobody's name server decides about.
  private static func isNumeric(_ name: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, name, &four) == 1 || inet_pton(AF_INET6, name, &six) == 1
  }

  /// A scheme, a host and a port (RFC 6454, 4).
  private struct Origin: Equatable, CustomStringConvertible {
    enum Scheme: String, CaseIterable {
      case http, https

      var port: Int { self == .http ? 80 : 443 }
    }

    private let scheme: Scheme
    let name: String
    private let port: Int

    var description: String { "\(scheme)://\(authority)" }

    /// The host, and the port if it is not that of the scheme.
    var authority: String {
      (name.contains(":") ? "[\(name)]" : name) + (port == scheme.port ? "" : ":\(port)")
    }

    init(_ scheme: Scheme, _ authority: Authority) {
      (self.scheme, name, port) = (scheme, authority.name, authority.port ?? scheme.port)
    }

    /// - Parameter text: the value of `Origin`; nil comes for `null` and for other schemes.
    init?(_ text: String) {
      for scheme in Scheme.allCases where text.lowercased().hasPrefix("\(scheme)://") {
        guard let authority = Authority(String(text.dropFirst("\(scheme)://".count))) else {
          return nil
        }
        self.init(scheme, authority)
        return
      }
      return nil
    }
  }

  /// A refused request.
  struct Refusal: Equatable {
    let status: HTTPResponseStatus
    /// What is refused, and why.
    private let cause: String
    /// What to do if the request is of the user's own page; nil for nothing.
    private let fix: String?

    init(_ status: HTTPResponseStatus, _ cause: String, _ fix: String? = nil) {
      (self.status, self.cause, self.fix) = (status, cause, fix)
    }

    /// The refusal for the page that has asked.
    var reason: String { fix.map { "\(cause) \($0)" } ?? cause }

    /// The refusal for the user of the server, who may have opened another page.
    var report: String {
      guard fix != nil else { return reason }
      return "\(reason) Otherwise another page in a browser has tried to connect: ignore this."
    }
  }

  /// A host and a port, as `Host` and `Origin` have them.
  struct Authority: Hashable, Sendable {
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
