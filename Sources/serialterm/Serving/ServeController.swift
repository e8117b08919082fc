import Glibc
import NetworkLinks
import Observing
import Posix
import Reconnecting
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Serves a port to clients, without a user.
///
/// Clients of a listener connect and disconnect at any time. A client on the standard streams owns the program: when
/// the client ends, the program ends too.
final class ServeController {
  private let frontEnd: HeadlessInterface
  private let entrances: [PortServer.Entrance]
  private let server: PortServer
  private var drain: Drain?
  private var events: ObservationToken<HeadlessInterface.Event>?

  /// The time that the device has to take the last client's bytes.
  private static let patience = Drain.Patience(total: .seconds(5))

  init(
    _ frontEnd: HeadlessInterface, at entrances: [PortServer.Entrance], _ rules: PortServer.Rules,
    writers: Roster.Rule
  ) {
    self.frontEnd = frontEnd
    self.entrances = entrances
    frontEnd.port.share(writers, home: nil)
    server = frontEnd.port.server
    server.rules = rules
  }

  /// Runs until a signal, or until the client of the standard streams has ended.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    // An unusable address is detected before the port is opened, which may reset a board.
    if entrances.contains(where: { $0.place == .standardStreams }) {
      guard StandardFile(.standardInput, O_RDONLY).isUsable else {
        throw Failure(inputFailed: .badFileDescriptor)
      }
      guard StandardFile(.standardOutput, O_WRONLY).isUsable else {
        throw Failure(outputGone: .badFileDescriptor)
      }
    }
    for entrance in entrances { try frontEnd.port.listen(at: entrance) }
    events = frontEnd.events.observe { [unowned self] in
      // Printed when signals end the program, and when the session can be joined.
      if $0 == .waiting { frontEnd.port.announcePlaces() }
      guard $0 == .ready else { return }
      guard let streams = entrances.first(where: { $0.place == .standardStreams }) else { return }
      do throws(Errno) {
        try server.serveStandardStreams(speaking: streams.speech) { [unowned self] in
          streamsEnded()
        }
      } catch {
        frontEnd.finish(.failure(Failure(inputFailed: error)))
      }
    }
    return try frontEnd.run()
  }

  private func streamsEnded() {
    drain = Drain(frontEnd.session, on: frontEnd.loop, patience: Self.patience) { [frontEnd] in
      frontEnd.finish(.success(.done))
    }
  }
}
