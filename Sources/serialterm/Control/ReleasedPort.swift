import Glibc
import Posix
import SystemPackage

/// A port that the sessions which have it let go of, for as long as this lives.
struct ReleasedPort: ~Copyable {
  /// The sessions that had it; more than one only if they share it.
  private let sessions: [Session]

  private final class Session {
    var client: ControlClient
    init(_ client: consuming ControlClient) { self.client = client }
  }

  /// Whether any session had the port.
  var wasHeld: Bool { !sessions.isEmpty }

  /// Asks all sessions that can be asked.
  ///
  /// - Parameters:
  ///   - request: the device, and who wants it.
  ///   - say: called with what does not stand in the way and should be known.
  /// - Throws: ``Failure`` when a session keeps the port.
  init(asking request: ControlRequest, say: (String) -> Void) throws(Failure) {
    var sessions: [Session] = []
    for place in ControlFolder.placesToAsk {
      // One that is not there, or not as it must be, has no sessions that listen.
      guard let folder = try? ControlFolder(place) else { continue }
      for name in folder.socketNames {
        if let session = try Self.ask(folder.socketPath(name), request, say: say) {
          sessions.append(session)
        }
      }
    }
    self.sessions = sessions
  }

  /// - Returns: the session if it let go of the port, nil if it has another, or is none.
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
      say("the session \(name) does not answer; if it has the port, it keeps it.")
      return nil
    } catch {
      // It has ended, now or before.
      return nil
    }
    switch reply {
    case .released: return session
    case .no(let reason): throw Failure(.deviceBusy, "the session keeps the port: \(reason).")
    case .other, .wait, .back, .waiting, nil: return nil
    }
  }

  /// Gives the port back, and waits until the sessions have it, for a while.
  ///
  /// - Parameter say: called with what a session says other than that it has the port.
  consuming func giveBack(say: (String) -> Void) {
    for session in sessions {
      switch session.client.giveBack() {
      case .released(let path): say("\(path) stays released: somebody else wants it too.")
      case .waiting(let path): say("the session waits for \(path).")
      case .back, .no, .other, .wait, nil: break
      }
    }
  }
}
