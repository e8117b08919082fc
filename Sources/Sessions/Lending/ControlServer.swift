package import EventLoop
import Glibc
import Posix
package import SystemPackage

/// The control socket of the program. Other programs use it to make serialterm release a port, and
/// to join sessions.
///
/// The program works without it: no failure here affects a session.
package final class ControlServer {
  private let folder: ControlFolder
  private let name: String
  /// The socket's file, which is the only one that is removed at the end.
  private let identity: FileIdentity?
  private let listener: OwnedDescriptor
  /// The present sessions.
  private let sessions: () -> [SessionController]
  private let loop: IOLoop
  private var isStopped = false
  private var watch: DescriptorWatch?
  private var pause: LoopTimer?
  private var connections: [ObjectIdentifier: ControlConnection] = [:]

  private static let mostConnections = 64
  /// The time to wait for another process that takes a name.
  private static let lockPatience = Duration.milliseconds(200)
  /// The length of the queue of clients that wait to be accepted: a whole class may join at once.
  private static let backlog: CInt = 128
  /// The time without accepting clients after the process has run out of descriptors.
  private static let pauseLength = Duration.seconds(1)

  /// Listens in the first usable directory of the user.
  ///
  /// - Returns: nil if there is none.
  package static func start(
    on loop: IOLoop, for sessions: @escaping () -> [SessionController]
  ) -> ControlServer? {
    for place in ControlFolder.ownPlaces {
      if let server = try? ControlServer(in: place, on: loop, for: sessions) { return server }
    }
    return nil
  }

  /// Listens in a directory, and creates it if it does not exist.
  ///
  /// - Throws: `Errno` of the directory or a system call; `EADDRINUSE` if all names are taken.
  package init(
    in place: ControlFolder.Place, on loop: IOLoop,
    for sessions: @escaping () -> [SessionController]
  ) throws(Errno) {
    let folder = try ControlFolder(place, creates: true)
    let listener = try UnixSocket.make()
    let descriptor = listener.borrowed
    // It listens before another process may look at it: a socket that refuses
    // connections looks abandoned.
    name = try folder.locked(within: Self.lockPatience) { () throws(Errno) in
      let name = try Self.bind(descriptor, in: folder)
      try systemCall { listen(descriptor.rawValue, Self.backlog) }
      return name
    }
    identity = folder.identity(of: name)
    Self.tidy(folder)
    self.folder = folder
    self.listener = listener
    self.sessions = sessions
    self.loop = loop
    watch = try loop.watch(self.listener.borrowed, for: .reading) { [unowned self] _ in accept() }
  }

  deinit { stop() }

  /// Ends every connection and removes the socket. Calling it again does nothing.
  package func stop() {
    guard !isStopped else { return }
    isStopped = true
    watch = nil
    pause = nil
    connections = [:]
    if identity == folder.identity(of: name) { folder.remove(name) }
  }

  /// Binds to a name that no process listens at. It replaces the stale socket of a killed session,
  /// but never that of a running one.
  private static func bind(
    _ listener: FileDescriptor, in folder: borrowing ControlFolder
  ) throws(Errno) -> String {
    for name in ControlFolder.names(pid: getpid()) {
      let path = folder.socketPath(name)
      do {
        try UnixSocket.bind(listener, to: path)
        return name
      } catch .addressInUse {
        guard isDead(path) else { continue }
        folder.remove(name)
        try UnixSocket.bind(listener, to: path)
        return name
      }
    }
    throw .addressInUse
  }

  /// Removes the sockets of killed sessions. A refused connection alone does not prove that a
  /// session was killed: a session that is starting binds its socket before it listens.
  private static func tidy(_ folder: borrowing ControlFolder) {
    for name in folder.socketNames {
      guard let pid = ControlFolder.pid(ofSocket: name), hasEnded(pid),
        isDead(folder.socketPath(name))
      else { continue }
      folder.remove(name)
    }
  }

  private static func hasEnded(_ pid: pid_t) -> Bool {
    do {
      try systemCall { kill(pid, 0) }
      return false
    } catch {
      return error == .noSuchProcess
    }
  }

  private static func isDead(_ path: FilePath) -> Bool {
    do {
      let probe = try UnixSocket.make()
      try UnixSocket.connect(probe.borrowed, to: path)
      return false
    } catch {
      return error == .connectionRefused
    }
  }

  private func accept() {
    do {
      for _ in 0..<Self.mostConnections { admit(try UnixSocket.accept(from: listener.borrowed)) }
    } catch .wouldBlock {
      // No more clients are waiting.
    } catch {
      // Usually EMFILE. The client stays in the queue; accepting again immediately would spin.
      watch?.setInterest([])
      pause = loop.schedule(after: Self.pauseLength) { [unowned self] in
        watch?.setInterest(.reading)
      }
    }
  }

  /// Serves a client. Closes its connection if there are too many, or if it belongs
  /// to another user.
  private func admit(_ client: consuming OwnedDescriptor) {
    guard connections.count < Self.mostConnections,
      let connection = try? ControlConnection(
        client, on: loop, for: sessions, ended: { [unowned self] in connectionEnded($0) })
    else { return }
    connections[ObjectIdentifier(connection)] = connection
  }

  private func connectionEnded(_ connection: ControlConnection) {
    connections[ObjectIdentifier(connection)] = nil
    // One of its methods is still running.
    loop.atEndOfTurn { withExtendedLifetime(connection) {} }
  }
}
