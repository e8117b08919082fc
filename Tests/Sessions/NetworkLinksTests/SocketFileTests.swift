import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import NetworkLinks

@Suite(.timeLimit(.minutes(30))) struct SocketFileTests {
  private let folder: TemporaryFolder
  private let path: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = folder("board.sock")
  }

  /// A listening socket with its file.
  private final class Listener: @unchecked Sendable {
    // Released in this order: the file is removed first.
    let file: SocketFile
    let socket: StreamSocket

    init(at path: FilePath, for group: GroupID? = nil) throws(Errno) {
      let socket = try StreamSocket(family: AF_UNIX)
      file = try SocketFile(at: path, for: group, binding: socket.descriptor, backlog: 1)
      self.socket = socket
    }

    var client: StreamSocket? {
      let client = accept(socket.descriptor.rawValue, nil, nil)
      return client < 0 ? nil : StreamSocket(OwnedDescriptor(FileDescriptor(rawValue: client)))
    }
  }

  private func connect() throws(Errno) -> StreamSocket {
    let client = try StreamSocket(family: AF_UNIX)
    try SocketAddress(path).connect(client.descriptor)
    return client
  }

  /// A socket at which nobody listens any more.
  private func leaveBehind() throws {
    let socket = try StreamSocket(family: AF_UNIX)
    try SocketAddress(path).bind(socket.descriptor)
  }

  @Test func modeAndGroupAreSetAndNothingElseStaysInTheFolder() throws {
    let old = umask(0)
    defer { umask(old) }
    do {
      let own = try Listener(at: path)
      #expect(try path.stat().permissions == .ownerReadWrite)
      withExtendedLifetime(own) {}
    }
    let listener = try Listener(at: path, for: GroupID(rawValue: getgid()))
    let state = try path.stat()
    #expect(state.permissions == [.ownerReadWrite, .groupReadWrite])
    #expect(state.groupID.rawValue == getgid())
    #expect(folder.path.entryNames() == ["board.sock"])
    withExtendedLifetime(listener) {}
  }

  @Test func aFileOrALinkInItsPlaceStays() throws {
    let victim = folder("victim")
    try victim.write("precious")
    try path.write("precious")
    #expect(throws: Errno.addressInUse) { _ = try Listener(at: path) }
    unlink(path.string)
    symlink(victim.string, path.string)
    #expect(throws: Errno.addressInUse) { _ = try Listener(at: path) }
    #expect(String(decoding: try victim.contents(), as: UTF8.self) == "precious")
  }

  @Test func onlyItsOwnFileIsRemovedAtTheEnd() throws {
    do {
      let listener = try Listener(at: path)
      rename(path.string, folder("moved").string)
      try path.write("another program's")
      withExtendedLifetime(listener) {}
    }
    #expect(path.exists)
    #expect(folder("moved").exists)
  }

  @Test func ofTwoServersAtAnAbandonedSocketOneListensThere() async throws {
    for _ in 0..<repetitions(200) {
      try leaveBehind()
      let path = path
      let listeners = await withTaskGroup(of: Listener?.self) { group in
        for _ in 0..<2 { group.addTask { try? Listener(at: path) } }
        return await group.reduce(into: [Listener]()) {
          if let listener = $1 { $0.append(listener) }
        }
      }
      #expect(listeners.count == 1)
      let client = try connect()
      #expect(listeners.first?.client != nil)
      withExtendedLifetime(client) {}
    }
  }

  @Test func aLinkThatIsSwappedInIsNeverFollowed() throws {
    let victims = folder("victims")
    mkdir(victims.string, 0o700)
    let victim = victims.appending("board.sock")
    try victim.write("precious")
    chmod(victim.string, 0o600)
    let place = folder("place")
    mkdir(place.string, 0o700)
    let isOver = Guarded(false)
    let swapCount = Guarded(0)
    // A thread of its own: other tests may keep those of tasks busy.
    try DetachedThread.run {
      while !isOver.withLock({ $0 }) {
        for name in place.entryNames() where !name.hasPrefix("old") {
          let path = place.appending(name)
          let isFolder = name.hasPrefix(".")
          if unlink(path.string) != 0 {
            rename(path.string, place.appending("old\(swapCount.withLock { $0 })").string)
          }
          if symlink((isFolder ? victims : victim).string, path.string) == 0 {
            swapCount.withLock { $0 += 1 }
          }
        }
      }
    }
    let group = GroupID(rawValue: getgid())
    var made = 0
    // The swapper is in time often enough, and so is this.
    let enough = repetitions(400)
    while made < enough || swapCount.withLock({ $0 }) < enough {
      let path = place.appending("board.sock")
      if (try? Listener(at: path, for: group)) != nil { made += 1 }
      unlink(path.string)
    }
    isOver.withLock { $0 = true }
    #expect(try victim.stat().permissions == .ownerReadWrite)
    #expect(String(decoding: try victim.contents(), as: UTF8.self) == "precious")
    #expect(victims.entryNames() == ["board.sock"])
  }
}

extension FilePath {
  fileprivate func write(_ text: String) throws {
    let file = try OwnedDescriptor.open(self, O_WRONLY | O_CREAT | O_EXCL)
    _ = try file.borrowed.writeAll(text.utf8)
  }
}
