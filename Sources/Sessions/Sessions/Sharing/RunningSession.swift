package import Glibc
import Posix
package import SerialCore
package import SystemPackage

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

  /// All running sessions of this user, sorted by process.
  ///
  /// For root, they include those of the user of sudo(8). The sessions of this process are left
  /// out. Each program is asked, and has a second to reply.
  package static func all() -> [RunningSession] {
    var found: [RunningSession] = []
    for place in ControlFolder.placesToAsk {
      // No session listens in a directory that does not exist or is not private.
      guard let folder = try? ControlFolder(place) else { continue }
      for name in folder.socketNames {
        guard let pid = ControlFolder.pid(ofSocket: name), pid != getpid() else { continue }
        for summary in summaries(at: folder.socketPath(name)) {
          found.append(
            RunningSession(pid: pid, socket: place.path.appending(name), summary: summary))
        }
      }
    }
    return found.sorted { ($0.pid, $0.summary.port) < ($1.pid, $1.summary.port) }
  }

  /// Whether a process has a session of this user. It does not ask the process.
  package static func exists(of pid: pid_t) -> Bool {
    ControlFolder.placesToAsk.contains { place in
      guard let folder = try? ControlFolder(place) else { return false }
      return folder.socketNames.contains { ControlFolder.pid(ofSocket: $0) == pid }
    }
  }

  private static func summaries(at path: FilePath) -> [SessionSummary] {
    guard let text = try? ControlClient.ask(SessionRequest.list.line, at: path) else { return [] }
    return text.compactMap(SessionSummary.init(line:))
  }
}
