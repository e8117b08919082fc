import EventLoop
import Glibc
import Posix
import SystemPackage

/// The socket at which a session can be asked to let go of its port.
///
/// Whatever becomes of it, the session goes on: what cannot be had is gone without.
final class ControlServer {
  private let folder: ControlFolder
  private let name: String
  private let listener: OwnedDescriptor
  private let desk: ReleaseDesk
  private let loop: EventLoop
  private var isStopped = false
  private var watch: DescriptorWatch?
  private var pause: Timer?
  private var connections: [ObjectIdentifier: ControlConnection] = [:]

  private static let mostConnections = 8
  /// How long nobody is let in when there is no descriptor free for anybody.
  private static let pauseLength = Duration.seconds(1)

  /// Listens in the first of the user's places that will do.
  ///
  /// - Returns: nil where there is none: a session can do without.
  static func start(for desk: ReleaseDesk, on loop: EventLoop) -> ControlServer? {
    for place in ControlFolder.ownPlaces {
      if let server = try? ControlServer(in: place, for: desk, on: loop) { return server }
    }
    return nil
  }

  /// Listens in a folder, which is made if it is not there.
  ///
  /// - Throws: what the folder or a system call says; `EADDRINUSE` when others have all the names.
  init(in place: ControlFolder.Place, for desk: ReleaseDesk, on loop: EventLoop) throws(Errno) {
    let folder = try ControlFolder(place, creates: true)
    let listener = try UnixSocket.make(isBlocking: false)
    name = try Self.bind(listener.borrowed, in: folder)
    Self.tidy(folder)
    self.folder = folder
    self.listener = listener
    self.desk = desk
    self.loop = loop
    try systemCall { listen(self.listener.borrowed.rawValue, CInt(Self.mostConnections)) }
    watch = try loop.watch(self.listener.borrowed, for: .reading) { [unowned self] _ in accept() }
  }

  deinit { stop() }

  /// Ends every connection and removes the socket. Calling it again does nothing.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    watch = nil
    pause = nil
    connections = [:]
    folder.remove(name)
  }

  /// Takes a name that nobody answers at: what a session that was killed left behind is replaced, a
  /// living session's socket never.
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

  /// Removes what other sessions left behind when they were killed. That nobody answers is not enough:
  /// one that has just been started has its name before it listens.
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
      let probe = try UnixSocket.make(isBlocking: false)
      try UnixSocket.connect(probe.borrowed, to: path)
      return false
    } catch {
      return error == .connectionRefused
    }
  }

  private func accept() {
    do {
      while true { admit(try UnixSocket.accept(from: listener.borrowed)) }
    } catch .wouldBlock {
      // All have been let in.
    } catch {
      // Mostly for want of descriptors, and whoever waits still does: not asked again at once.
      _ = try? watch?.setInterest([])
      pause = loop.schedule(after: Self.pauseLength) { [unowned self] in
        _ = try? watch?.setInterest(.reading)
      }
    }
  }

  /// Serves a client, or closes its connection, when there are too many or it is not welcome.
  private func admit(_ client: consuming OwnedDescriptor) {
    guard connections.count < Self.mostConnections,
      let connection = try? ControlConnection(client, for: desk, on: loop)
    else { return }
    let id = ObjectIdentifier(connection)
    connections[id] = connection
    connection.onEnd = { [unowned self, loop] in
      // Kept to the end of the turn: it is in the middle of a call.
      guard let ended = connections.removeValue(forKey: id) else { return }
      loop.atEndOfTurn { withExtendedLifetime(ended) {} }
    }
  }
}
