import EventLoop
import Glibc
import NetworkLinks
import PlainText
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// Serves a port to clients, without a user.
///
/// Clients of a listener come and go, one at a time. A client on the standard streams is the only one: with
/// it the program ends.
final class ServeController {
  /// Where clients come from.
  enum Entrance: Hashable, Sendable {
    /// Standard input and standard output.
    case standardStreams
    /// A port of TCP.
    case host(String, port: UInt16)
    /// A socket in the file system.
    case path(FilePath)
  }

  private let frontEnd: HeadlessInterface
  private let speech: ServedProtocol
  private let entrances: [Entrance]
  private let lines: ModemLineWatch
  private let counters: CounterWatch
  private var listeners: [StreamListener] = []
  private var client: Connection?
  /// The clients that are being told that the port is in use.
  private var refused: [RefusedClient] = []
  private var drain: Drain?

  /// More clients than these are refused without a word.
  private static let refusedLimit = 16
  /// How long the device may take what the last client has sent.
  private static let patience = Drain.Patience(total: .seconds(5))

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

  init(
    _ frontEnd: HeadlessInterface, at entrances: [Entrance], speaking speech: ServedProtocol
  ) {
    self.frontEnd = frontEnd
    self.entrances = entrances
    self.speech = speech
    lines = ModemLineWatch(frontEnd.session, on: frontEnd.loop)
    counters = CounterWatch(frontEnd.session, on: frontEnd.loop)
  }

  /// Runs until a signal, or until the client of the standard streams has ended.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    // An address that cannot be used is found before the port is opened, which may reset a board.
    for entrance in entrances { try listen(at: entrance) }
    for listener in listeners { frontEnd.console.say("serving at \(listener.address.harmless).") }
    frontEnd.onReady = { [unowned self] in
      guard entrances.contains(.standardStreams) else { return }
      do throws(Errno) {
        try begin(with: try STDIN_FILENO.duplicate(), try STDOUT_FILENO.duplicate())
      } catch {
        frontEnd.finish(.failure(Failure(.otherFailure, "standard input: \(error).")))
      }
    }
    return try frontEnd.run()
  }

  private func listen(at entrance: Entrance) throws {
    let name: String
    do throws(ListeningError) {
      let listener: StreamListener
      switch entrance {
      case .standardStreams: return
      case .host(let host, let port):
        name = HostAddress(host: host, port: port).description
        listener = try StreamListener(at: host, port: port, on: frontEnd.loop)
      case .path(let path):
        name = path.string
        listener = try StreamListener(at: path, on: frontEnd.loop)
      }
      listener.onClient = { [unowned self] in accept($0) }
      listeners.append(listener)
    } catch {
      throw Failure(
        .otherFailure, "\(name.harmless): clients cannot be waited for: \(error.reason).")
    }
  }

  private func accept(_ descriptor: consuming OwnedDescriptor) {
    // While the port is not open, nothing of a client is read, so its end is not met.
    if !frontEnd.session.isOpen, let old = client, old.client.hasLeft { old.client.end() }
    guard client == nil else { return refuse(descriptor) }
    do throws(Errno) {
      let output = try descriptor.borrowed.rawValue.duplicate()
      try begin(with: descriptor, output)
    } catch {
      frontEnd.console.warn("a client was not accepted: \(error).")
    }
  }

  private func refuse(_ descriptor: consuming OwnedDescriptor) {
    frontEnd.console.say("a second client was refused.")
    guard refused.count < Self.refusedLimit else { return }
    do throws(Errno) {
      let client = try RefusedClient(
        descriptor, telling: "the port is in use by another client.", on: frontEnd.loop)
      refused.append(client)
      client.onEnd = { [unowned self, unowned client] in
        // It is calling.
        frontEnd.loop.atEndOfTurn { [client] in _ = client }
        refused.removeAll { $0 === client }
      }
    } catch {
      frontEnd.console.warn("a client was not told that the port is in use: \(error).")
    }
  }

  private func begin(
    with input: consuming OwnedDescriptor, _ output: consuming OwnedDescriptor
  ) throws(Errno) {
    let connection = try Connection(input, output) { (input, output) throws(Errno) in
      try ServedClient(
        reading: input, writing: output, speaking: speech, to: frontEnd.controller, lines: lines,
        on: frontEnd.loop)
    }
    client = connection
    connection.client.onEnd = { [unowned self] in clientEnded() }
    if !listeners.isEmpty { frontEnd.console.say("a client has connected.") }
  }

  private func clientEnded() {
    // It is calling.
    frontEnd.loop.atEndOfTurn { [client] in _ = client }
    client = nil
    lines.isWatched = false
    guard entrances.contains(.standardStreams) else {
      return frontEnd.console.say("the client has ended the connection.")
    }
    drain = Drain(frontEnd.session, on: frontEnd.loop, patience: Self.patience) { [frontEnd] in
      frontEnd.finish(.success(.done))
    }
  }
}

extension CInt {
  /// Another descriptor of the same file, close-on-exec. The corresponding C function is `fcntl`.
  ///
  /// A socket does not block from then on. sshd gives one to each program; nobody else uses it.
  fileprivate func duplicate() throws(Errno) -> OwnedDescriptor {
    let copy = fcntl(self, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    if (try? FileDescriptor(rawValue: copy).stat())?.type == .socket {
      _ = fcntl(copy, F_SETFL, fcntl(copy, F_GETFL) | O_NONBLOCK)
    }
    return OwnedDescriptor(FileDescriptor(rawValue: copy))
  }
}
