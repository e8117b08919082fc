import EventLoop
import Glibc
import NetworkLinks
import Observing
import Posix
import Reconnecting
import Sessions
import SystemPackage
import Terminal
import TextTools
import Time

/// Serves ports to clients, without a user.
///
/// Clients of a listener connect and disconnect at any time. A client on the standard streams owns
/// the program: when the client ends, the program ends too.
final class ServeController {
  /// How a port is served.
  struct Service {
    let addresses: [PortServer.ListenAddress]
    let rules: PortServer.Rules
    let writers: Roster.Rule
    /// The place of the page for browsers; nil for none.
    let page: BrowserPage.Place?
  }

  private let frontEnd: HeadlessInterface
  private let services: [(port: Port, service: Service)]
  private var drain: Drain?
  /// The addresses that are tried again.
  private var failed: [(port: Port, address: PortServer.ListenAddress)] = []
  private var retry: LoopTimer?
  private var events: ObservationToken<HeadlessInterface.Event>?

  /// The time that the device has to take the last client's bytes.
  private static let patience = Drain.Patience(total: .seconds(5))
  /// The time after which an address is tried again.
  private static let retryPause = Duration.seconds(5)
  /// The time that the program of the page has to begin.
  private static let pagePatience = Duration.seconds(10)

  /// - Parameter services: how each port of the front end is served, in their order.
  init(_ frontEnd: HeadlessInterface, serving services: [Service]) {
    self.frontEnd = frontEnd
    self.services = Array(zip(frontEnd.ports, services))
    for (port, service) in self.services {
      port.share(service.writers, home: nil)
      port.server.rules = service.rules
    }
  }

  /// Runs until a signal, or until the client of the standard streams has ended.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    let streams = services[0].service.addresses.first { $0.place == .standardStreams }
    // An unusable address is detected before a port is opened, which may reset a board.
    if streams != nil {
      guard StandardFile(.standardInput, O_RDONLY).isUsable else {
        throw Failure(inputFailed: .badFileDescriptor)
      }
      guard StandardFile(.standardOutput, O_WRONLY).isUsable else {
        throw Failure(outputGone: .badFileDescriptor)
      }
    }
    try listen()
    try openPages()
    events = frontEnd.events.observe { [unowned self] in
      // Printed when signals end the program, and when the sessions can be joined.
      if $0 == .waiting { announce() }
      if $0 == .ready, let streams { serve(streams) }
    }
    return try frontEnd.run()
  }

  /// Starts to accept clients. If the ports are independent, one whose address is in use does not
  /// keep the others from being served.
  ///
  /// - Throws: ``Failure`` for the first address, or if no address can be used.
  private func listen() throws(Failure) {
    var first: Failure?
    for (port, service) in services {
      for address in service.addresses {
        do throws(Failure) {
          try port.listen(at: address)
        } catch {
          guard frontEnd.goesOnWithoutFailed else { throw error }
          first = first ?? error
          failed.append((port, address))
          frontEnd.console.say(port.named("\(error.message) It is tried every 5 s."))
        }
      }
    }
    if let first, failed.count == services.reduce(0, { $0 + $1.service.addresses.count }) {
      throw first
    }
    scheduleRetry()
  }

  /// Opens the pages for browsers, and waits until they are there. A place leads to one page, which
  /// shows all ports.
  ///
  /// - Throws: ``Failure`` if one cannot be opened, and the errors of epoll_wait(2).
  private func openPages() throws {
    var opened: Set<BrowserPage.Place> = []
    for (port, service) in services {
      guard let place = service.page, opened.insert(place).inserted else { continue }
      var answer: Result<PageLink, Failure>?
      port.openPage(at: place) { answer = $0 }
      let deadline = MonotonicTime.now + Self.pagePatience
      while answer == nil, .now < deadline {
        try frontEnd.loop.turn(waitingAtMost: deadline - .now)
      }
      guard let answer else {
        throw Failure(.otherFailure, "the page for browsers: serialterm-web does not answer.")
      }
      _ = try answer.get()
    }
  }

  private func announce() {
    for (port, _) in services where !frontEnd.hasEnded(port) { port.announcePlaces() }
  }

  private func scheduleRetry() {
    guard !failed.isEmpty else { return }
    retry = frontEnd.loop.schedule(after: Self.retryPause) { [unowned self] in
      failed.removeAll { port, address in
        if frontEnd.hasEnded(port) { return true }
        return (try? port.listen(at: address)) != nil
      }
      announce()
      scheduleRetry()
    }
  }

  private func serve(_ streams: PortServer.ListenAddress) {
    do throws(Errno) {
      try frontEnd.port.server.serveStandardStreams(speaking: streams.clientProtocol) {
        [unowned self] in streamsEnded()
      }
    } catch {
      frontEnd.finish(.failure(Failure(inputFailed: error)))
    }
  }

  private func streamsEnded() {
    drain = Drain(frontEnd.session, on: frontEnd.loop, patience: Self.patience) { [frontEnd] in
      frontEnd.finish(.success(.done))
    }
  }
}
