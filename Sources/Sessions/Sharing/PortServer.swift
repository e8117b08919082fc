package import EventLoop
import Glibc
package import NetworkLinks
package import Observing
import Posix
import SerialCore
package import SystemPackage
package import Telnet
import TextTools

/// Accepts and serves clients of a session.
package final class PortServer {
  /// A place where clients connect, and the protocol that they use.
  package struct ListenAddress: Hashable, Sendable {
    /// A place where clients can connect.
    package enum Place: Hashable, Sendable {
      /// Standard input and standard output.
      case standardStreams
      /// A TCP port.
      case host(HostAddress)
      /// A Unix socket.
      case path(FilePath)
    }

    package let place: Place
    /// The protocol; nil for the one of ``Rules``.
    package let clientProtocol: StreamProtocol?

    package init(_ place: Place, speaking clientProtocol: StreamProtocol? = nil) {
      (self.place, self.clientProtocol) = (place, clientProtocol)
    }
  }

  /// Rules for all listen addresses.
  package struct Rules: Sendable {
    package var clientProtocol = StreamProtocol.rfc2217
    /// The addresses from which computers may connect; empty for all addresses.
    package var allowed: [AddressRange] = []
    /// The group whose members may connect to the Unix sockets; nil for only their owner.
    package var group: GroupID?
    /// Whether clients are disconnected when the device is lost.
    package var endsClientsOnLoss = false
    /// What is kept for clients that connect later; nil for nothing.
    package var backlog: Backlog?

    package init() {}
  }

  /// An event at a listen address.
  package enum News {
    /// A client from this address was refused, because the address is not allowed.
    case notAllowed(String)
    /// A client from this address was refused, because there are too many clients.
    case tooMany(String)
    /// A client from this address could not be served.
    case failed(String, Errno)
    /// See ``ServedClient/Report``.
    case client(String, ServedClient.Report)
  }

  package let news = Observable<News>()
  package var rules = Rules() {
    didSet {
      if rules.backlog != oldValue.backlog {
        backlog = rules.backlog.map { ReceivedBacklog($0, of: controller.hub) }
      }
    }
  }
  private var backlog: ReceivedBacklog?
  /// Whether a user who joins the session may take the pen without asking. Scripted bytes must not
  /// depend on that.
  package var viewersMayTakePen = true

  private unowned let controller: SessionController
  private let program: ServedClient.Program
  private let loop: IOLoop
  /// For clients of RFC 2217; nil until the first one connects.
  private var watches: (lines: ModemLineWatch, counters: CounterWatch)?
  private var listeners: [StreamListener] = []
  private var clients: [Int: Connection] = [:]
  private var lastNumber = 0
  private var stateChanges: ObservationToken<SessionEvent>?

  /// The maximum number of clients. Each needs descriptors and memory.
  package static let clientLimit = 256
  /// The number of places beyond ``clientLimit`` for clients of Unix sockets only. The kernel knows
  /// these clients, so strangers cannot keep them out.
  private static let knownPlaces = 16
  /// The number of further places for those who join with `attach`.
  private static let joiningPlaces = 16

  /// A client with its descriptors.
  private final class Connection {
    let client: ServedClient
    private let input: OwnedDescriptor
    private let output: OwnedDescriptor

    init(
      _ input: consuming OwnedDescriptor, _ output: consuming OwnedDescriptor,
      _ make: (FileDescriptor, FileDescriptor) throws(Errno) -> ServedClient
    ) throws(Errno) {
      client = try make(input.borrowed, output.borrowed)
      self.input = input
      self.output = output
    }
  }

  package init(
    for controller: SessionController, program: ServedClient.Program, on loop: IOLoop
  ) {
    self.controller = controller
    self.program = program
    self.loop = loop
    stateChanges = controller.session.observe(.stateChange) { [unowned self] in
      if case .open = $0.old, case .waitingForDevice = $0.new, rules.endsClientsOnLoss {
        endClients()
      }
    }
  }

  /// The addresses at which clients connect.
  package var addresses: [String] { listeners.map(\.address) }

  // MARK: The session

  /// The name of the subcommand that runs the session, shown to others.
  package var commandName = "connect"
  /// The maximum length in bytes of a profile's name that clients get.
  private static let longestProfileName = 256
  /// The name of the profile that applies to the port; empty without one, nil if it is not known.
  package var profileName: String?
  /// The number of the port among those of the program, counted from 0. It stays the same.
  package var number = 0
  /// The time when the program started, in seconds since 1970-01-01 UTC.
  private let start = time(nil)

  /// A description of the session for users who may want to join it.
  package var summary: SessionSummary {
    let sharing = controller.sharing
    return SessionSummary(
      port: controller.session.state.endpoint.map { "\($0)".harmless } ?? "", since: start,
      command: commandName, holder: sharing.roster.holder.flatMap { sharing.member($0)?.name },
      others: sharing.roster.members.filter { $0.id != sharing.roster.holder }.map(\.name),
      addresses: addresses, number: number,
      state: SharingMessage.PortState(controller.session.state),
      reason: controller.session.state.waitReason,
      profile: profileName.flatMap { $0.utf8.count <= Self.longestProfileName ? $0 : nil })
  }

  // MARK: Listening

  /// Starts to accept clients at a place.
  ///
  /// - Returns: the address that the kernel has assigned.
  /// - Throws: ``ListeningError``.
  @discardableResult
  package func listen(at listenAddress: ListenAddress) throws(ListeningError) -> String {
    let clientProtocol = listenAddress.clientProtocol ?? rules.clientProtocol
    let accept: (consuming OwnedDescriptor, StreamPeer) -> Void = { [unowned self] in
      self.accept($0, $1, clientProtocol)
    }
    let listener: StreamListener
    switch listenAddress.place {
    case .standardStreams: return ""
    case .host(let address):
      listener = try StreamListener(
        at: address.host, port: address.port, on: loop, accept: accept)
    case .path(let path):
      listener = try StreamListener(at: path, for: rules.group, on: loop, accept: accept)
    }
    listeners.append(listener)
    controller.sharing.addresses = addresses
    return listener.address
  }

  /// Stops accepting clients. Connected clients stay.
  package func stopListening() {
    listeners = []
    controller.sharing.addresses = []
  }

  /// Serves the client at the other ends of the standard streams.
  ///
  /// - Parameter ended: called when the client has ended.
  /// - Throws: the errors of fcntl(2) and epoll_ctl(2).
  package func serveStandardStreams(
    speaking clientProtocol: StreamProtocol?, ended: @escaping () -> Void
  ) throws(Errno) {
    _ = try begin(
      try STDIN_FILENO.duplicate(for: O_RDONLY), try STDOUT_FILENO.duplicate(for: O_WRONLY),
      as: ServedClient.Configuration(
        clientProtocol: clientProtocol ?? rules.clientProtocol,
        name: StreamPeer.standardStreams.name, mayTake: true),
      ended: ended)
  }

  /// Lets a program of the same user join the session as a viewer. The caller keeps the ownership
  /// of the connection.
  ///
  /// - Parameter bytes: the bytes that it has already sent.
  /// - Throws: the errors of fcntl(2) and epoll_ctl(2); `EUSERS` if there are too many clients.
  func join(
    _ connection: FileDescriptor, from peer: StreamPeer, reading bytes: [UInt8]
  ) throws(Errno) {
    guard clients.count < Self.clientLimit + Self.knownPlaces + Self.joiningPlaces else {
      throw .tooManyUsers
    }
    let client = try begin(
      try connection.rawValue.duplicate(for: O_RDWR),
      try connection.rawValue.duplicate(for: O_RDWR),
      as: ServedClient.Configuration(
        clientProtocol: .rfc2217, name: peer.name, isViewer: true, mayTake: viewersMayTakePen))
    bytes.withUnsafeBytes { client.receive($0) }
  }

  private func accept(
    _ descriptor: consuming OwnedDescriptor, _ peer: StreamPeer, _ clientProtocol: StreamProtocol
  ) {
    if case .host(let address, _) = peer, !rules.allowed.isEmpty,
      !rules.allowed.contains(where: { $0.contains(address) })
    {
      return news.notify(.notAllowed(peer.name))
    }
    guard clients.count < Self.clientLimit + (peer.isKnown ? Self.knownPlaces : 0) else {
      return news.notify(.tooMany(peer.name))
    }
    do throws(Errno) {
      let output = try descriptor.borrowed.rawValue.duplicate(for: O_RDWR)
      _ = try begin(
        descriptor, output,
        as: ServedClient.Configuration(
          clientProtocol: clientProtocol, name: peer.name, mayTake: peer.isKnown))
    } catch {
      news.notify(.failed(peer.name, error))
    }
  }

  private func begin(
    _ input: consuming OwnedDescriptor, _ output: consuming OwnedDescriptor,
    as configuration: ServedClient.Configuration, ended: @escaping () -> Void = {}
  ) throws(Errno) -> ServedClient {
    lastNumber += 1
    let number = lastNumber
    let connection = try Connection(input, output) { (input, output) throws(Errno) in
      try ServedClient(
        reading: input, writing: output, as: configuration, of: controller,
        // Those who join get the history of the session.
        after: configuration.isViewer ? nil : backlog, program: program, on: loop,
        report: { [unowned self] in news.notify(.client($0, $1)) },
        ended: { [unowned self] in
          clientEnded(number)
          ended()
        })
    }
    clients[number] = connection
    if configuration.clientProtocol == .rfc2217 { watchLine() }
    return connection.client
  }

  private func clientEnded(_ number: Int) {
    // One of its methods is running.
    guard let ended = clients.removeValue(forKey: number) else { return }
    loop.atEndOfTurn { withExtendedLifetime(ended) {} }
    if clients.isEmpty { watches = nil }
  }

  private func watchLine() {
    guard watches == nil else { return }
    let lines = ModemLineWatch(controller.session, on: loop)
    lines.isWatched = true
    watches = (lines, CounterWatch(controller.session, on: loop))
  }

  private func endClients() {
    // At the end of the turn, because the session is still notifying its observers.
    loop.atEndOfTurn { [weak self] in
      for connection in Array((self?.clients ?? [:]).values) { connection.client.end() }
    }
  }
}

extension CInt {
  /// Opens another descriptor of the same file: close-on-exec, and non-blocking where
  /// that is possible.
  ///
  /// A socket cannot be opened again; sshd creates one for each program, so no other program uses
  /// it. The same is true of the master of a pseudo-terminal.
  fileprivate func duplicate(for access: CInt) throws(Errno) -> OwnedDescriptor {
    let stream = FileDescriptor(rawValue: self)
    if let opened = stream.reopened(for: access) { return opened }
    let copy = FileDescriptor(rawValue: try systemCall { fcntl(self, F_DUPFD_CLOEXEC, 0) })
    if (try? stream.stat().type) == .socket || stream.isPseudoTerminalMaster {
      copy.setNonBlocking()
    }
    return OwnedDescriptor(copy)
  }
}
