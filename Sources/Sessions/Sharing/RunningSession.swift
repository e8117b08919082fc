package import Glibc
import Posix
package import SerialCore
package import SystemPackage
import Time

/// A port of a running program of this user that can be joined.
package struct RunningSession: Hashable, Sendable {
  /// The process ID of the program.
  package let pid: pid_t
  /// The path of its control socket.
  package let socket: FilePath
  package let summary: SessionSummary

  package init(pid: pid_t, socket: FilePath, summary: SessionSummary) {
    (self.pid, self.socket, self.summary) = (pid, socket, summary)
  }

  /// The endpoint of a session that has joined this one: `/dev/ttyUSB0 (session 4711)`.
  package var endpoint: Endpoint { Endpoint(.session, "\(summary.port) (session \(pid))") }

  /// The word by which `attach` joins exactly this session: `4711:0`. The process alone, if its
  /// program does not number its ports.
  package var id: String { summary.number.map { "\(pid):\($0)" } ?? "\(pid)" }

  /// The request to join it.
  var joinRequest: SessionRequest {
    summary.number.map { .joinNumber($0) } ?? .join(port: summary.port)
  }

  /// All running sessions of this user, sorted by process. Those of this process are left out.
  ///
  /// All programs are asked at the same time, and have a second to reply.
  ///
  /// - Parameter includesSudoUser: whether root asks the programs of the user of sudo(8) too. Only
  ///   a person who names a session wants that: those programs are not root's, and say what they
  ///   like.
  package static func all(includingSudoUser includesSudoUser: Bool = false) -> [RunningSession] {
    all(in: ControlFolder.placesToAsk(includingSudoUser: includesSudoUser))
  }

  /// All sessions with sockets in one of several directories.
  static func all(in places: [ControlFolder.Place]) -> [RunningSession] {
    var asked: [(pid: pid_t, place: ControlFolder.Place, socket: FilePath, client: ControlClient)] =
      []
    for place in places {
      // No session listens in a directory that does not exist or is not private.
      guard let folder = try? ControlFolder(place) else { continue }
      for name in folder.socketNames {
        guard let pid = ControlFolder.pid(ofSocket: name), pid != getpid(),
          let client = try? ControlClient(
            folder.socketPath(name), sending: SessionRequest.list.line)
        else { continue }
        asked.append((pid, place, place.path.appending(name), client))
      }
    }
    let deadline = MonotonicTime.now + ControlClient.listPatience
    return asked.flatMap { pid, place, socket, client in
      (client.lines(until: deadline) ?? []).compactMap(SessionSummary.init).map {
        RunningSession(pid: pid, socket: socket, summary: $0.said(by: place.owner))
      }
    }.sorted { ($0.pid, $0.summary.port) < ($1.pid, $1.summary.port) }
  }

  /// Whether a process has a session of this user. It does not ask the process.
  package static func exists(of pid: pid_t) -> Bool {
    ControlFolder.placesToAsk(includingSudoUser: true).contains { place in
      guard let folder = try? ControlFolder(place) else { return false }
      return folder.socketNames.contains { ControlFolder.pid(ofSocket: $0) == pid }
    }
  }
}
