package import EventLoop
import Glibc
package import NetworkLinks
import Observing
import Posix
import SerialCore
package import SystemPackage

/// Waits for clients of a session, and has those who came.
package final class PortServer {
  /// Where clients come from, and what they speak.
  package struct Entrance: Hashable, Sendable {
    /// A place where clients can connect.
    package enum Place: Hashable, Sendable {
      /// Standard input and standard output.
      case standardStreams
      /// A port of TCP.
      case host(HostAddress)
      /// A socket in the file system.
      case path(FilePath)
    }

    package let place: Place
    /// Nil for the one of ``Rules``.
    package let speech: ServedProtocol?

    package init(_ place: Place, speaking speech: ServedProtocol? = nil) {
      (self.place, self.speech) = (place, speech)
    }
  }

  /// What holds for all entrances.
  package struct Rules: Sendable {
    package var speech = ServedProtocol.rfc2217
    /// From where computers may connect; from anywhere if it is empty.
    package var allowed: [AddressRange] = []
    /// Whose members may connect to the sockets in the file system; nil for only their owner.
    package var group: GroupID?
    /// Whether clients are disconnected when the device is lost.
    package var endsClientsOnLoss = false

    package init() {}
  }

  /// What happens at the entrances.
  package enum News {
    /// A client was not let in: it came from this address.
    case notAllowed(String)
    /// A client was not let in: there are too many.
    case tooMany(String)
    /// A client could not be let in.
    case failed(String, Errno)
    /// See ``ServedClient/Report``.
    case client(String, ServedClient.Report)
  }

  /// Called when the client of the standard streams has ended.
  package var onStandardStreamsEnd: () -> Void = {}
  package var onNews: (News) -> Void = { _ in }
  package var rules = Rules()
  /// Whether a user who joins the session may take the pen without asking. What a script sends depends on nobody.
  package var viewersMayTakePen = true

  private unowned let controller: SessionController
  private let program: ServedClient.Program
  private let loop: IOLoop
  /// For clients of RFC 2217; nil until one has come.
  private var watches: (lines: ModemLineWatch, counters: CounterWatch)?
  private var listeners: [StreamListener] = []
  private var clients: [ObjectIdentifier: Connection] = [:]
  private var stateChanges: ObservationToken<SessionEvent>?

  /// The most clients: each costs descriptors and memory.
  package static let clientLimit = 256

  /// A client, and the descriptors that it uses.
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
    stateChanges = controller.session.observe(\.stateChange) { [unowned self] in
      if case .open = $0.old, case .waitingForDevice = $0.new, rules.endsClientsOnLoss {
        endClients()
      }
    }
  }

  /// Where clients connect.
  package var addresses: [String] { listeners.map(\.address) }

  /// Waits for clients at a place.
  ///
  /// - Returns: the address, as the kernel has it.
  /// - Throws: ``ListeningError``.
  @discardableResult
  package func listen(at entrance: Entrance) throws(ListeningError) -> String {
    let listener: StreamListener
    switch entrance.place {
    case .standardStreams: return ""
    case .host(let address):
      listener = try StreamListener(at: address.host, port: address.port, on: loop)
    case .path(let path):
      listener = try StreamListener(at: path, for: rules.group, on: loop)
    }
    let speech = entrance.speech ?? rules.speech
    listener.onClient = { [unowned self] in accept($0, $1, speech) }
    listeners.append(listener)
    controller.sharing.addresses = addresses
    return listener.address
  }

  /// Waits for no more clients; those who have come stay.
  package func stopListening() {
    listeners = []
    controller.sharing.addresses = []
  }

  /// Serves the client that has the other ends of the standard streams.
  ///
  /// - Throws: the errors of fcntl(2) and epoll_ctl(2).
  package func serveStandardStreams(speaking speech: ServedProtocol?) throws(Errno) {
    let client = try begin(
      try STDIN_FILENO.duplicate(for: O_RDONLY), try STDOUT_FILENO.duplicate(for: O_WRONLY),
      as: ServedClient.Welcome(
        speech: speech ?? rules.speech, name: StreamPeer.standardStreams.name, mayTake: true))
    let onEnd = client.onEnd
    client.onEnd = { [unowned self] in
      onEnd()
      onStandardStreamsEnd()
    }
  }

  /// Lets a program of the same user join the session, as a viewer. The connection stays the caller's.
  ///
  /// - Parameter bytes: what it has sent already.
  /// - Throws: the errors of fcntl(2) and epoll_ctl(2); `EUSERS` if there are too many clients.
  func join(
    _ connection: FileDescriptor, from peer: StreamPeer, reading bytes: [UInt8]
  ) throws(Errno) {
    guard clients.count < Self.clientLimit else { throw .tooManyUsers }
    let client = try begin(
      try connection.rawValue.duplicate(for: O_RDWR),
      try connection.rawValue.duplicate(for: O_RDWR),
      as: ServedClient.Welcome(
        speech: .rfc2217, name: peer.name, isViewer: true, mayTake: viewersMayTakePen))
    bytes.withUnsafeBytes { client.take($0) }
  }

  private func accept(
    _ descriptor: consuming OwnedDescriptor, _ peer: StreamPeer, _ speech: ServedProtocol
  ) {
    if case .host(let address, _) = peer, !rules.allowed.isEmpty,
      !rules.allowed.contains(where: { $0.contains(address) })
    {
      return onNews(.notAllowed(peer.name))
    }
    guard clients.count < Self.clientLimit else { return onNews(.tooMany(peer.name)) }
    do throws(Errno) {
      let output = try descriptor.borrowed.rawValue.duplicate(for: O_RDWR)
      _ = try begin(
        descriptor, output,
        as: ServedClient.Welcome(speech: speech, name: peer.name, mayTake: peer.isKnown))
    } catch {
      onNews(.failed(peer.name, error))
    }
  }

  private func begin(
    _ input: consuming OwnedDescriptor, _ output: consuming OwnedDescriptor,
    as welcome: ServedClient.Welcome
  ) throws(Errno) -> ServedClient {
    let connection = try Connection(input, output) { (input, output) throws(Errno) in
      try ServedClient(
        reading: input, writing: output, as: welcome, of: controller, program: program, on: loop)
    }
    let client = connection.client
    let key = ObjectIdentifier(client)
    clients[key] = connection
    if welcome.speech == .rfc2217 { watchLine() }
    client.onReport = { [unowned self, unowned client] in
      onNews(.client(controller.sharing.member(client.id)?.name ?? welcome.name, $0))
    }
    client.onEnd = { [unowned self, loop] in
      // It is calling.
      guard let ended = clients.removeValue(forKey: key) else { return }
      loop.atEndOfTurn { withExtendedLifetime(ended) {} }
      if clients.isEmpty { watches = nil }
    }
    return client
  }

  private func watchLine() {
    guard watches == nil else { return }
    let lines = ModemLineWatch(controller.session, on: loop)
    lines.isWatched = true
    watches = (lines, CounterWatch(controller.session, on: loop))
  }

  private func endClients() {
    // At the end of the turn: the session is telling its observers.
    loop.atEndOfTurn { [weak self] in
      for connection in Array((self?.clients ?? [:]).values) { connection.client.end() }
    }
  }
}

extension CInt {
  /// Another descriptor of the same file, close-on-exec, which does not block.
  ///
  /// A pipe is opened again, because the flag belongs to the open file, which other programs share. A socket
  /// cannot be; sshd gives one to each program, and nobody else uses it.
  fileprivate func duplicate(for access: CInt) throws(Errno) -> OwnedDescriptor {
    let type = try? FileDescriptor(rawValue: self).stat().type
    if type != .socket,
      let opened = try? OwnedDescriptor.open(FilePath("/proc/self/fd/\(self)"), access | O_NONBLOCK)
    {
      return opened
    }
    let copy = try systemCall { fcntl(self, F_DUPFD_CLOEXEC, 0) }
    if type == .socket { _ = fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK) }
    return OwnedDescriptor(FileDescriptor(rawValue: copy))
  }
}
