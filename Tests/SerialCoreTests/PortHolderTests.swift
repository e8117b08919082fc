import Glibc
import Posix
import SystemPackage
import Testing

@testable import SerialCore

/// The processes that have a pseudo-terminal open. This process is one of them.
@Suite(.timeLimit(.minutes(30))) struct PortHolderTests {
  private let pty: Pty

  init() throws {
    pty = try Pty()
    // Child processes must not inherit the far end.
    _ = fcntl(pty.master, F_SETFD, FD_CLOEXEC)
  }

  private var own: PortHolders.Use? {
    PortHolders().uses(of: pty.path).first { $0.holder.pid == getpid() }
  }

  /// Starts a process that runs a script to open the port, and then sleeps.
  private func program(_ script: String) throws -> pid_t {
    var pid = pid_t()
    let words: [UnsafeMutablePointer<CChar>?] =
      [strdup("sh"), strdup("-c"), strdup("\(script); exec sleep 60"), nil]
    defer { for word in words { free(word) } }
    // Other tests run at the same time, and their descriptors may be inherited.
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in CInt(3)..<1_024 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    try #require(posix_spawnp(&pid, "sh", &actions, nil, words, environ) == 0)
    let comm = FilePath("/proc/\(pid)/comm")
    // When the name changes, `sleep` has replaced the shell, and the script is complete.
    while (try? comm.contents()) == Array("sh\n".utf8) { usleep(1_000) }
    return pid
  }

  private func end(_ pid: pid_t) {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  @Test func processWithAnotherPort_hasOtherPorts_butNotByItsStreams() throws {
    let other = try Pty()
    _ = fcntl(other.master, F_SETFD, FD_CLOEXEC)
    let both = try program("exec 5<>\(pty.path) 6<>\(other.path)")
    defer { end(both) }
    let one = try program("exec 5<>\(pty.path) 0<>\(other.path) 1>&0")
    defer { end(one) }
    let holders = PortHolders()
    #expect(holders.hasOtherPorts(both, besides: pty.path))
    #expect(holders.hasOtherPorts(both, besides: other.path))
    #expect(!holders.hasOtherPorts(one, besides: pty.path))
    #expect(holders.hasOtherPorts(one, besides: "/dev/null") == true)
  }

  @Test func terminalOfAnotherProcess_isNoPort() throws {
    let other = try Pty()
    _ = fcntl(other.master, F_SETFD, FD_CLOEXEC)
    let pid = try program(
      "setsid --ctty sleep 60 <>\(other.path) & exec 5<>\(pty.path) 6<>\(other.path)")
    defer { end(pid) }
    while PortHolders().uses(of: other.path).allSatisfy({ !$0.isTerminal }) { usleep(1_000) }
    #expect(!PortHolders().hasOtherPorts(pid, besides: pty.path))
  }

  @Test func processThatHasTheMaster_isTheFarEnd() {
    #expect(own?.isFarEnd == true)
    #expect(own?.isLocked == false)
    #expect(own?.holder.user == UserID(rawValue: geteuid()))
  }

  @Test func otherProcess_isNoFarEnd_andIsTheHolder() throws {
    let pid = try program("exec 3<>\(pty.path)")
    defer { end(pid) }
    let holders = PortHolders()
    let use = try #require(holders.uses(of: pty.path).first { $0.holder.pid == pid })
    #expect(use.holder.command == "sleep")
    #expect(!use.isFarEnd && !use.isLocked)
    #expect(holders[pty.path]?.pid == pid, "before the far end")
    #expect(holders.locker(of: pty.path) == nil)
  }

  @Test func lockWhoseTakerHasEnded_isSeenAtTheProcessThatHasItsFile() throws {
    let pid = try program("exec 3<>\(pty.path); flock 3")
    defer { end(pid) }
    let use = PortHolders().uses(of: pty.path).first { $0.holder.pid == pid }
    #expect(use?.isLocked == true)
  }

  @Test func exclusiveMode_isSeen_withoutOpeningThePort() throws {
    #expect(PortHolders().isExclusive(pty.path) == false)
    let link = try TermiosLink.opened(pty.path, settings: LineSettings())
    #expect(PortHolders().isExclusive(pty.path) == true)
    link.close()
    #expect(PortHolders().isExclusive(pty.path) == false)
  }

  @Test func freePort_hasNoUsers() {
    #expect(PortHolders().uses(of: "/dev/ttyNONE9") == [])
    #expect(PortHolders().isExclusive("/dev/ttyNONE9") == nil)
  }
}
