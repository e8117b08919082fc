import Logs
import NetworkLinks
import Options
import Posix
import Sessions
import SystemPackage
import Telnet
import TextTools

/// The options for sharing a port with clients, of `serve` and `connect`.
enum SharingParameters {
  static let listen = Parameter<[PortServer.ListenAddress]>.list(
    "listen", "[HOST:]PORT", "Wait for clients at a port of TCP.",
    details: """
      Without HOST only programs of this computer can connect. There is no password: who reaches the \
      port has the device. A protocol may follow: 4000,raw. With several devices, 'serve' takes one \
      for each, in their order.
      """,
    parse: { text throws(ValueError) in
      do throws(HostAddressError) {
        return try PortServer.ListenAddress(listening: text)
      } catch {
        throw ValueError(
          text,
          expected:
            "PORT from 1 to 65535, HOST:PORT, or [ADDRESS]:PORT for IPv6; then ,raw ,telnet "
            + "or ,rfc2217 if you like")
      }
    })

  static let unix = Parameter<[PortServer.ListenAddress]>.list(
    "unix", "PATH", "Wait for clients at a Unix socket, which only you can use.",
    details: "A protocol may follow: board.sock,raw.",
    completion: .files,
    parse: { text throws(ValueError) in
      guard let listenAddress = PortServer.ListenAddress(path: text) else {
        throw ValueError(text, expected: "the path of a socket")
      }
      return listenAddress
    })

  static let web = Parameter<HostAddress?>.option(
    "web", "[HOST:]PORT",
    "Serve a page for browsers, which watch and, with the pen (the right to type), write.",
    details: """
      Without HOST only browsers of this computer reach it. The link that is printed has a token, which stays \
      the same. It needs serialterm-web.
      """,
    parse: { text throws(ValueError) in
      do throws(HostAddressError) {
        return try BrowserPage.Place(parsing: text).address
      } catch {
        throw ValueError(
          text, expected: "PORT from 1 to 65535, HOST:PORT, or [ADDRESS]:PORT for IPv6")
      }
    })

  static let webOpen = Parameter.flag(
    "web-open", "With --web: let in everyone who reaches the page, without a token.")

  static let webHosts = Parameter<[String]>.list(
    "web-host", "NAME[:PORT]",
    "With --web: a further name of the page's host, as of a reverse proxy.",
    parse: { text throws(ValueError) in
      let isName = (try? HostAddress(parsing: "\(text):80"))?.host == text
      guard isName || (try? HostAddress(parsing: text)) != nil else {
        throw ValueError(text, expected: "the name of a host, or NAME:PORT")
      }
      return text
    })

  static let clientProtocol = Parameter<StreamProtocol>.choice(
    "protocol", "PROTOCOL", "What clients speak: raw, telnet or rfc2217.", standard: .rfc2217)

  static let writers = Parameter<Writers>.choice(
    "writers", "WHO",
    "Who may write: one at a time (one), everyone by whole lines (all), or nobody (none).",
    standard: .one)

  static let allow = Parameter<[AddressRange]>.list(
    "allow", "ADDRESS[/BITS]", "Let only these computers connect.",
    parse: { text throws(ValueError) in
      guard let range = AddressRange(parsing: text) else {
        throw ValueError(text, expected: "an address, or one and a number of bits: 192.168.1.0/24")
      }
      return range
    })

  static let group = Parameter<String?>.option(
    "group", "GROUP", "Let the members of a group use the Unix sockets too.", parse: { $0 })

  static let name = Parameter<String?>.option(
    "as", "NAME", "Your name for the others, in place of your account and terminal.",
    parse: { text throws(ValueError) in
      guard !text.isEmpty else { throw ValueError(text, expected: "a name") }
      return text
    })

  static let onLost = Parameter<LossReaction>.choice(
    "on-lost", "REACTION",
    "When the device is unplugged, let clients wait for it (wait), or disconnect them (close).",
    standard: .wait)

  static let backlog = Parameter<PortServer.Backlog.Limit?>.option(
    "backlog", "SIZE|TIME",
    "Give clients that connect what the device sent before: 64k, 1M, or 30s, 5min.",
    details: """
      Off by default, because old output confuses programs that wait for a prompt. With a time, at most \
      16 MB are kept.
      """,
    parse: { text throws(ValueError) in
      if let size = try? LogRotation.size(parsing: text), backlogSizes.contains(size) {
        return .bytes(size)
      }
      if let time = WrittenTime(text, unit: nil), (0.001...86_400).contains(time.seconds) {
        return .time(.seconds(time.seconds))
      }
      throw ValueError(text, expected: "a size from 1k to 64M, or a time such as 30s or 5min")
    })

  private static let backlogSizes = 1_024...(64 << 20)

  static let backlogUntilRead = Parameter.flag(
    "backlog-until-read", "With --backlog: only the first client gets it.")

  /// Who may write.
  enum Writers: String, CaseIterable {
    case one, all, none

    var rule: Roster.Rule {
      switch self {
      case .one: .one
      case .all: .all
      case .none: .none
      }
    }
  }

  /// What happens to clients when the device is lost.
  enum LossReaction: String, CaseIterable {
    case wait, close
  }

  static let addresses = [listen, unix]
  static let places: [any Declared] = addresses
  static let page: [any Declared] = [web, webOpen, webHosts]
  static let rules: [any Declared] = [clientProtocol, writers, allow, group, onLost]
  static let backlogs: [any Declared] = [backlog, backlogUntilRead]
}

extension Values {
  /// The places where clients connect.
  var listenAddresses: [PortServer.ListenAddress] {
    SharingParameters.addresses.flatMap { self[$0] }
  }

  /// The place of the page for browsers; nil for none.
  var pagePlace: BrowserPage.Place? {
    self[SharingParameters.web].map {
      BrowserPage.Place(
        address: $0, isOpen: self[SharingParameters.webOpen],
        names: self[SharingParameters.webHosts], allowed: self[SharingParameters.allow])
    }
  }

  /// Checks that options of the page are given only with one.
  ///
  /// - Throws: ``UsageError``.
  func checkPage() throws(UsageError) {
    guard self[SharingParameters.web] == nil else { return }
    if self[SharingParameters.webOpen] {
      throw UsageError(about: ["web-open"], "--web-open needs --web PORT")
    }
    if !self[SharingParameters.webHosts].isEmpty {
      throw UsageError(about: ["web-host"], "--web-host needs --web PORT")
    }
  }

  /// The user's name for other members of the session; nil for ``Sessions/UserName/own``.
  var userName: String? { self[SharingParameters.name] }

  /// The rules for all clients.
  ///
  /// - Throws: ``Failure`` if there is no such group.
  var servingRules: PortServer.Rules {
    get throws(Failure) {
      var rules = PortServer.Rules()
      rules.clientProtocol = self[SharingParameters.clientProtocol]
      rules.allowed = self[SharingParameters.allow]
      rules.endsClientsOnLoss = self[SharingParameters.onLost] == .close
      rules.backlog = self[SharingParameters.backlog].map {
        PortServer.Backlog($0, isForOne: self[SharingParameters.backlogUntilRead])
      }
      if let name = self[SharingParameters.group] {
        guard let group = AccountName.group(named: name) else {
          throw Failure(.usage, "--group: \(PortGroups.unknown(name))")
        }
        rules.group = group
      }
      return rules
    }
  }
}
