import Glibc
import Observing
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct PathWatcherTests {
  private let folder: TemporaryFolder
  private let recorder = PathRecorder()

  init() throws { folder = try TemporaryFolder() }

  private func watch(_ path: FilePath) throws -> PathWatcher {
    let watcher = try PathWatcher(path)
    watcher.addObserver(recorder)
    return watcher
  }

  private func expect(
    _ events: [PathEvent], of watcher: PathWatcher,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    recorder.expect(events, of: watcher, sourceLocation: sourceLocation)
  }

  // MARK: A plain path

  @Test func pathThatIsThere_isPresent_andNoEvent() throws {
    let watcher = try watch(try folder.makeFile("node"))
    #expect(watcher.isPresent)
    expect([], of: watcher)
  }

  @Test func path_appearsAndVanishes() throws {
    let watcher = try watch(folder("node"))
    #expect(!watcher.isPresent)
    for _ in 0..<3 {
      try folder.makeFile("node")
      expect([.appeared], of: watcher)
      try folder.delete("node")
      expect([.vanished], of: watcher)
    }
  }

  @Test func pathWhoseFolderIsMissing_appears_whenAllOfItIsThere() throws {
    let watcher = try watch(folder("a/b/node"))
    try folder.makeFolder("a")
    expect([], of: watcher)
    try folder.makeFolder("a/b")
    expect([], of: watcher)
    try folder.makeFile("a/b/node")
    expect([.appeared], of: watcher)
  }

  @Test func pathThatIsMadeFasterThanItIsWatched_appearsOnce() throws {
    let watcher = try watch(folder("a/b/node"))
    try folder.makeFolder("a")
    try folder.makeFolder("a/b")
    try folder.makeFile("a/b/node")
    expect([.appeared], of: watcher)
  }

  @Test func folderThatIsMovedAwayAndBack_takesThePathWithIt() throws {
    try folder.makeFolder("a")
    try folder.makeFolder("a/b")
    let watcher = try watch(try folder.makeFile("a/b/node"))
    try folder.rename("a", to: "elsewhere")
    expect([.vanished], of: watcher)
    try folder.delete("elsewhere/b/node")
    expect([], of: watcher)
    try folder.makeFile("elsewhere/b/node")
    try folder.rename("elsewhere", to: "a")
    expect([.appeared], of: watcher)
    try folder.delete("a/b/node")
    expect([.vanished], of: watcher)
  }

  @Test func fileThatBecomesAFolder_isPassedThrough() throws {
    try folder.makeFile("a")
    let watcher = try watch(folder("a/node"))
    #expect(!watcher.isPresent)
    try folder.delete("a")
    try folder.makeFolder("a")
    try folder.makeFile("a/node")
    expect([.appeared], of: watcher)
  }

  @Test func neighbours_tellNothing() throws {
    let watcher = try watch(folder("node"))
    for name in ["nod", "node1", "other"] {
      try folder.makeFile(name)
      try folder.delete(name)
    }
    expect([], of: watcher)
  }

  @Test func relativePath_countsFromTheCurrentDirectory() throws {
    let current = try #require(FilePath(".").realPath)
    var path = FilePath()
    for _ in current.components { path.append("..") }
    for component in folder.path.components { path.append(component) }
    let watcher = try watch(path.appending("node"))
    try folder.makeFile("node")
    expect([.appeared], of: watcher)
  }

  // MARK: What was replaced

  @Test func pathThatWasReplacedUnseen_hasVanishedAndAppeared() throws {
    let watcher = try watch(try folder.makeFile("node"))
    try folder.delete("node")
    try folder.makeFile("node")
    expect([.vanished, .appeared], of: watcher)
  }

  @Test func pathThatWasRenamedOver_hasVanishedAndAppeared() throws {
    let watcher = try watch(try folder.makeFile("node"))
    try folder.makeFile("new")
    try folder.rename("new", to: "node")
    expect([.vanished, .appeared], of: watcher)
  }

  @Test func pathThatWasMadeAndDeletedUnseen_tellsNothing() throws {
    let watcher = try watch(folder("node"))
    try folder.makeFile("node")
    try folder.delete("node")
    expect([], of: watcher)
  }

  // MARK: Links

  @Test func danglingLink_isAbsent_untilItsTargetIsThere() throws {
    let watcher = try watch(try folder.link("link", to: "a/node"))
    #expect(!watcher.isPresent)
    try folder.makeFolder("a")
    expect([], of: watcher)
    try folder.makeFile("a/node")
    expect([.appeared], of: watcher)
    try folder.delete("a/node")
    expect([.vanished], of: watcher)
  }

  @Test func linkThatIsReplacedInOneStep_hasVanishedAndAppeared() throws {
    try folder.makeFile("one")
    try folder.makeFile("two")
    let watcher = try watch(try folder.link("link", to: "one"))
    for target in ["two", "one", "one"] {
      try folder.link("new", to: FilePath(target))
      try folder.rename("new", to: "link")
      expect([.vanished, .appeared], of: watcher)
    }
  }

  @Test func linkThatLeadsElsewhereNow_isNotTroubledByWhereItLedBefore() throws {
    try folder.makeFolder("old")
    try folder.makeFile("old/node")
    try folder.makeFolder("new")
    let watcher = try watch(try folder.link("link", to: "old/node"))
    try folder.delete("link")
    try folder.link("link", to: "new/node")
    expect([.vanished], of: watcher)
    try folder.delete("old/node")
    try folder.makeFile("old/node")
    expect([], of: watcher)
    try folder.makeFile("new/node")
    expect([.appeared], of: watcher)
  }

  @Test func loopOfLinks_isAbsent_untilItIsBroken() throws {
    try folder.link("a", to: "b")
    let watcher = try watch(try folder.link("b", to: "a"))
    #expect(!watcher.isPresent)
    try folder.delete("a")
    try folder.makeFile("a")
    expect([.appeared], of: watcher)
  }

  // MARK: Pseudo-terminals

  @Test func pseudoTerminal_vanishesWhenItIsClosed_andAppearsWhenItIsReopened() throws {
    let numbers = try PseudoTerminal.lockNumbers()
    defer { withExtendedLifetime(numbers) {} }
    var terminal: PseudoTerminal? = try .aboveFreeNumbers()
    let node = try #require(terminal).node
    let direct = try watch(node)
    let link = try PathWatcher(try folder.link("board", to: node))
    let throughLink = PathRecorder()
    link.addObserver(throughLink)
    #expect(direct.isPresent)
    #expect(link.isPresent)

    terminal = nil
    expect([.vanished], of: direct)
    link.handleReadable()
    #expect(throughLink.heard == [.vanished])

    terminal = try PseudoTerminal.reopening(node)
    expect([.appeared], of: direct)
    link.handleReadable()
    #expect(throughLink.heard == [.vanished, .appeared])
    withExtendedLifetime(terminal) {}
  }

  @Test func pseudoTerminalThatWasReplacedUnseen_hasVanishedAndAppeared() throws {
    // The new node has the same inode number. Only the events show that it is new.
    let numbers = try PseudoTerminal.lockNumbers()
    defer { withExtendedLifetime(numbers) {} }
    var terminal: PseudoTerminal? = try .aboveFreeNumbers()
    let node = try #require(terminal).node
    let watcher = try watch(node)
    terminal = nil
    terminal = try PseudoTerminal.reopening(node)
    expect([.vanished, .appeared], of: watcher)
    withExtendedLifetime(terminal) {}
  }

  // MARK: Permissions

  @Test func changedPermissions_areReported_onlyOfThePath() throws {
    try folder.makeFolder("a")
    try folder.makeFile("a/other")
    let watcher = try watch(try folder.makeFile("a/node"))
    try folder.setPermissions(0o666, of: "a/other")
    try folder.setPermissions(0o777, of: "a")
    expect([], of: watcher)
    try folder.setPermissions(0o666, of: "a/node")
    expect([.accessChanged], of: watcher)
  }

  @Test func folderThatMayNotBeRead_cannotBeWatched() throws {
    try folder.makeFolder("a")
    try folder.setPermissions(0o111, of: "a")
    chmod(folder.path.string, 0o755)
    defer { chmod(folder("a").string, 0o755) }
    #expect(throws: Errno.permissionDenied) {
      try unprivileged { try PathWatcher(folder("a/node")) }
    }
  }

  @Test func folderThatMayNotBeRead_isPassedThrough_onTheWayToOneThatMay() throws {
    try folder.makeFolder("a")
    try folder.makeFolder("a/b")
    try folder.setPermissions(0o777, of: "a/b")
    try folder.setPermissions(0o111, of: "a")
    chmod(folder.path.string, 0o755)
    defer { chmod(folder("a").string, 0o755) }
    let watcher = try unprivileged { try watch(folder("a/b/node")) }
    try unprivileged { _ = try folder.makeFile("a/b/node") }
    try unprivileged { watcher.handleReadable() }
    #expect(recorder.heard == [.appeared])
  }

  @Test func folderThatBecomesUnreadable_isReported() throws {
    try folder.makeFolder("a")
    chmod(folder.path.string, 0o755)
    let watcher = try unprivileged { try watch(folder("a/b/node")) }
    try folder.makeFolder("a/b")
    try folder.setPermissions(0o111, of: "a/b")
    defer { chmod(folder("a/b").string, 0o755) }
    try unprivileged { watcher.handleReadable() }
    #expect(recorder.heard == [.failed(.permissionDenied)])
  }

  // MARK: Observers that call back

  @Test func observerMayHandleMore_andDropTheWatcher() throws {
    var watcher: PathWatcher? = try watch(folder("node"))
    weak let watched = watcher
    let second = PathRecorder()
    watcher?.addObserver(second)
    recorder.onEvent = { [folder] _ in
      #expect(throws: Never.self) { try folder.delete("node") }
      watcher?.handleReadable()
      watcher = nil
    }
    try folder.makeFile("node")
    watcher?.handleReadable()
    #expect(recorder.heard == [.appeared])
    #expect(second.heard == [.appeared])
    #expect(watched == nil)
  }

  @Test func removedObserver_getsNoEvents_andAClosureGetsAll() throws {
    let watcher = try watch(folder("node"))
    var heard: [PathEvent] = []
    let token = watcher.observe { heard.append($0) }
    watcher.removeObserver(recorder)
    try folder.makeFile("node")
    watcher.handleReadable()
    #expect(heard == [.appeared])
    #expect(recorder.heard == [])
    token.cancel()
  }
}
