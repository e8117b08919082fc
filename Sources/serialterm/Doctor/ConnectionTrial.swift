import EventLoop
import NetworkLinks
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import TextTools

/// Connects once to a port over the network, as a session does, and reports what prevents it.
enum ConnectionTrial {
  /// Connects, and closes the connection again.
  ///
  /// - Returns: nil if the connection succeeds.
  /// - Throws: the errors of epoll_create1(2) and epoll_wait(2).
  static func finding(for endpoint: Endpoint) throws -> Finding? {
    let loop = try IOLoop()
    let session = Session(settings: LineSettings()) {
      LinkProviders.standard.link(to: $0, options: LinkOptions(), on: loop)
    }
    let driver = SessionDriver(session, on: loop)
    defer { withExtendedLifetime(driver) { _ = session.close() } }
    // The state contains the error too.
    try? session.open(endpoint)
    // The link limits the time of its attempt.
    while case .opening = session.state { try loop.turn() }
    guard case .closed(.failed(let error)) = session.state else { return nil }
    return Finding(error)
  }
}

extension Finding {
  /// Why a connection failed.
  fileprivate init(_ error: SerialError) {
    let words = Failure(error).message
    let (code, why, fixes): (Code, String, [String]) =
      switch error.code {
      case .otherProtocol:
        (
          .otherProtocol,
          "Something listens there, but it is not what the target says.",
          [
            "# rfc2217:// is for a server such as ser2net, telnet:// for one without RFC 2217, "
              + "tcp:// for bytes as they are"
          ]
        )
      case .busy, .refusedByServer:
        (
          .heldByServer,
          "The server has accepted the connection and "
            + (error.code == .busy && error.subject == nil
              ? "does not answer." : "ended it again."),
          ["# end the other connection, or let the server accept several"]
        )
      case .permissionDenied:
        (.permissionDenied, "The socket does not admit this user.", ["# ask its owner"])
      default: (.unreachable, Self.reason(of: error), Self.fixes(of: error))
      }
    if error.operation == "ssh" {
      // The other end has reported its problem. The user can run doctor there too.
      self.init(
        code: code, port: nil, what: words.hasSuffix(".") ? String(words.dropLast()) : words,
        why: "ssh was started, and the port there was not opened.",
        fixes: ["# try the same by hand: ssh HOST serialterm doctor TARGET"])
      return
    }
    if error.operation == LabgridPlace.operation {
      self.init(
        code: code, port: nil, what: words.hasSuffix(".") ? String(words.dropLast()) : words,
        why: "labgrid-client knows where the port of a place is, and was asked.",
        fixes: ["# see what it knows: labgrid-client -p PLACE show"])
      return
    }
    self.init(
      code: code, port: nil, what: words.hasSuffix(".") ? String(words.dropLast()) : words,
      why: why,
      fixes: fixes)
  }

  private static func reason(of error: SerialError) -> String {
    switch error.errno {
    case .connectionRefused?: "The host answers, and nothing listens at that port."
    case .timedOut?: "Nothing answers: the host is off, or a firewall drops what is sent."
    case .noSuchFileOrDirectory?: "No program has made that socket."
    case nil: "This computer does not know the name."
    default: "The network does not lead there."
    }
  }

  private static func fixes(of error: SerialError) -> [String] {
    switch error.errno {
    case .connectionRefused?, .noSuchFileOrDirectory?:
      ["# start the server, or correct the target"]
    case nil: ["# correct the name, or use the address"]
    default: ["# look at the network between here and there"]
    }
  }
}
