import Glibc
import Posix
import Sessions
import SystemPackage
import Time

/// A port that all sessions have released for as long as this value exists.
struct ReleasedPort {
  /// The sessions that had it open. There are several only if they share it.
  private let sessions: [ControlClient]

  /// Whether any session had the port.
  var wasHeld: Bool { !sessions.isEmpty }

  /// Requests the port from all sessions of the user at the same time.
  ///
  /// - Parameters:
  ///   - request: the port, and the name of the requesting program.
  ///   - say: called with messages that are not errors.
  /// - Throws: ``Failure`` if a session keeps the port.
  init(asking request: ControlRequest, say: (String) -> Void) throws(Failure) {
    var asked: [(name: String, client: ControlClient)] = []
    for place in ControlFolder.placesToAsk(includingSudoUser: true) {
      // No session listens in a directory that does not exist or is not private.
      guard let folder = try? ControlFolder(place) else { continue }
      for name in folder.socketNames {
        do throws(Errno) {
          asked.append((name, try ControlClient(folder.socketPath(name), asking: request)))
        } catch .wouldBlock {
          Self.sayThatItDoesNotAnswer(name, say)
        } catch {
          // The session has ended.
        }
      }
    }
    let deadline = MonotonicTime.now + ControlClient.patience
    var sessions: [ControlClient] = []
    for (name, client) in asked {
      let reply: ControlReply?
      do throws(Errno) {
        reply = try client.reply(until: deadline)
      } catch .wouldBlock {
        Self.sayThatItDoesNotAnswer(name, say)
        continue
      } catch {
        // The session has ended.
        continue
      }
      if try Self.isRelease(reply, to: request) { sessions.append(client) }
    }
    self.sessions = sessions
  }

  private static func sayThatItDoesNotAnswer(_ name: String, _ say: (String) -> Void) {
    say("session \(name) does not answer. If it has the port, it keeps it.")
  }

  /// Whether a session has released the port. It has another device, or has ended, if not.
  private static func isRelease(
    _ reply: ControlReply?, to request: ControlRequest
  ) throws(Failure) -> Bool {
    // A session of an earlier version does not know requests for network ports.
    if case .endpoint = request.port, reply == .invalidRequest { return false }
    switch reply {
    case .released: return true
    case .no(let reason): throw Failure(.deviceBusy, "the session keeps the port: \(reason).")
    case .other, .wait, .back, .waiting, nil: return false
    }
  }

  /// Gives the port back, and waits for a limited time until the sessions have reopened it.
  ///
  /// - Parameter say: called with a message for every session that has not reopened it.
  func returnPort(say: (String) -> Void) {
    for session in sessions { session.giveBack() }
    let deadline = MonotonicTime.now + ControlClient.patience
    for session in sessions {
      switch session.replyToReturn(until: deadline) {
      case .released(let port): say("\(port) stays released: another program uses it too.")
      case .waiting(let port): say("the session waits for \(port).")
      case .back, .no, .other, .wait, nil: break
      }
    }
  }
}
