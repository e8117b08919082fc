import Glibc
import Posix
import Sessions
import SystemPackage

/// A port that all sessions have released for as long as this value exists.
struct ReleasedPort: ~Copyable {
  /// The sessions that had it open. There are several only if they share it.
  private let sessions: [Session]

  private final class Session {
    var client: ControlClient
    init(_ client: consuming ControlClient) { self.client = client }
  }

  /// Whether any session had the port.
  var wasHeld: Bool { !sessions.isEmpty }

  /// Requests the port from every session of the user.
  ///
  /// - Parameters:
  ///   - request: the port, and the name of the requesting program.
  ///   - say: called with messages that are not errors.
  /// - Throws: ``Failure`` if a session keeps the port.
  init(asking request: ControlRequest, say: (String) -> Void) throws(Failure) {
    var sessions: [Session] = []
    for place in ControlFolder.placesToAsk {
      // No session listens in a directory that does not exist or is not private.
      guard let folder = try? ControlFolder(place) else { continue }
      for name in folder.socketNames {
        if let session = try Self.ask(folder.socketPath(name), request, say: say) {
          sessions.append(session)
        }
      }
    }
    self.sessions = sessions
  }

  /// - Returns: the session if it released the port; nil if it has another device, or has ended.
  private static func ask(
    _ path: FilePath, _ request: ControlRequest, say: (String) -> Void
  ) throws(Failure) -> Session? {
    let reply: ControlReply?
    let session: Session
    do throws(Errno) {
      session = Session(try ControlClient(path))
      reply = try session.client.ask(request)
    } catch .wouldBlock {
      let name = path.lastComponent?.string ?? ""
      say("session \(name) does not answer. If it has the port, it keeps it.")
      return nil
    } catch {
      // The session has ended.
      return nil
    }
    // A session of an earlier version does not know requests for network ports.
    if case .endpoint = request.port, reply == .invalidRequest { return nil }
    switch reply {
    case .released: return session
    case .no(let reason): throw Failure(.deviceBusy, "the session keeps the port: \(reason).")
    case .other, .wait, .back, .waiting, nil: return nil
    }
  }

  /// Gives the port back, and waits for a limited time until the sessions have reopened it.
  ///
  /// - Parameter say: called with a message for every session that has not reopened it.
  consuming func returnPort(say: (String) -> Void) {
    for session in sessions {
      switch session.client.returnPort() {
      case .released(let port): say("\(port) stays released: another program uses it too.")
      case .waiting(let port): say("the session waits for \(port).")
      case .back, .no, .other, .wait, nil: break
      }
    }
  }
}
