import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct ControlFolderTests {
  private let me = UserID(rawValue: geteuid())

  private func place(_ path: FilePath) -> ControlFolder.Place { .init(path: path, owner: me) }

  /// Calls a closure with the path of a folder that does not exist, and removes
  /// the folder afterwards.
  private func withPath(_ body: (FilePath) throws -> Void) throws {
    let parent = try TemporaryFolder()
    try body(parent("folder"))
  }

  @Test func folder_isMadeForItsOwnerAlone() throws {
    try withPath { path in
      _ = try ControlFolder(place(path), creates: true)
      #expect(try path.stat().permissions == .ownerReadWriteExecute)
      // The existing folder is used again.
      _ = try ControlFolder(place(path), creates: true)
    }
  }

  @Test func missingFolder_isMadeOnlyWhenAsked() throws {
    try withPath { path in
      #expect(throws: Errno.noSuchFileOrDirectory) { _ = try ControlFolder(place(path)) }
    }
  }

  @Test(arguments: [0o755, 0o701, 0o770, 0o500] as [mode_t])
  func folder_withOtherPermissions_isRefused(mode: mode_t) throws {
    try withPath { path in
      try systemCall { mkdir(path.string, 0o700) }
      try systemCall { chmod(path.string, mode) }
      #expect(throws: Errno.notPermitted) { _ = try ControlFolder(place(path), creates: true) }
    }
  }

  @Test func folder_ofAnotherOwner_isRefused() throws {
    try withPath { path in
      try systemCall { mkdir(path.string, 0o700) }
      let other = UserID(rawValue: me.rawValue + 1)
      #expect(throws: Errno.notPermitted) {
        _ = try ControlFolder(.init(path: path, owner: other), creates: true)
      }
    }
  }

  @Test func linkAndFile_areRefused() throws {
    try withPath { path in
      try systemCall { symlink("/tmp", path.string) }
      #expect(throws: Errno.self) { _ = try ControlFolder(place(path), creates: true) }
      try systemCall { unlink(path.string) }
      try systemCall { mkfifo(path.string, 0o700) }
      #expect(throws: Errno.notDirectory) { _ = try ControlFolder(place(path), creates: true) }
    }
  }

  @Test func sockets_areListed_andRemoved_throughTheFolder() throws {
    try withPath { path in
      let folder = try ControlFolder(place(path), creates: true)
      let socket = try UnixSocket.make()
      try UnixSocket.bind(socket.borrowed, to: folder.socketPath("7.sock"))
      try systemCall { mkfifo(path.appending("other").string, 0o600) }
      #expect(folder.socketNames == ["7.sock"])
      #expect(try path.appending("7.sock").stat().permissions == .ownerReadWrite)
      folder.remove("7.sock")
      #expect(folder.socketNames.isEmpty)
    }
  }

  @Test func places_areTheRuntimeFolder_andOneInTmp() {
    let user = UserID(rawValue: 1_000)
    #expect(
      ControlFolder.places(of: user, runtimeFolder: "/run/user/1000")
        == [
          .init(path: "/run/user/1000/serialterm", owner: user),
          .init(path: "/tmp/serialterm-1000", owner: user),
        ])
    for wrong in [nil, "", "relative"] {
      #expect(
        ControlFolder.places(of: user, runtimeFolder: wrong)
          == [.init(path: "/tmp/serialterm-1000", owner: user)])
    }
  }

  @Test func userBehindSudo_isAskedToo_butOnlyByRoot() {
    let (root, user) = (UserID(rawValue: 0), UserID(rawValue: 1_000))
    func paths(as asker: UserID, sudoUser: UserID?) -> [FilePath] {
      ControlFolder.placesToAsk(as: asker, runtimeFolder: nil, sudoUser: sudoUser).map(\.path)
    }
    #expect(paths(as: root, sudoUser: nil) == ["/tmp/serialterm-0"])
    #expect(paths(as: root, sudoUser: root) == ["/tmp/serialterm-0"])
    #expect(
      paths(as: root, sudoUser: user)
        == ["/tmp/serialterm-0", "/run/user/1000/serialterm", "/tmp/serialterm-1000"])
    #expect(paths(as: user, sudoUser: root) == ["/tmp/serialterm-1000"])
  }

  @Test func names_beginWithTheProcess_andAreDistinct() {
    let names = ControlFolder.names(pid: 7)
    #expect(names.prefix(2) == ["7.sock", "7-1.sock"])
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { ControlFolder.pid(ofSocket: $0) == 7 })
    #expect(ControlFolder.pid(ofSocket: "x.sock") == nil)
    #expect(ControlFolder.pid(ofSocket: "7.lock") == nil)
  }
}
