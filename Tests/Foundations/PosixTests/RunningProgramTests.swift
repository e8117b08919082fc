import Glibc
import Posix
import SystemPackage
import Testing

@Suite("The end of programs", .timeLimit(.minutes(30)))
struct RunningProgramTests {
  /// A command of the shell in its own session.
  private final class Command {
    let program: RunningProgram
    private let output: OwnedDescriptor

    init(_ command: String) throws {
      var ends: [CInt] = [-1, -1]
      try systemCall { pipe(&ends) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      output = OwnedDescriptor(FileDescriptor(rawValue: ends[0]))
      let writer = OwnedDescriptor(FileDescriptor(rawValue: ends[1]))
      var plan = ChildProcess.Plan(defaultSignals: .all)
      plan.input = .null
      plan.output = .descriptor(writer.borrowed)
      plan.leads = .session
      program = try RunningProgram(["sh", "-c", command], plan, isGuarded: false)
      _ = consume writer
    }

    /// The next line of its output, and of its children; nil when all of them have ended.
    func line() -> String? {
      var (line, byte) = ([UInt8](), UInt8(0))
      while read(output.borrowed.rawValue, &byte, 1) == 1 {
        if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      }
      return nil
    }
  }

  @Test("a program that ignores SIGTERM is killed with its children")
  func stubborn() throws {
    let command = try Command("trap '' TERM; sleep 1000 & echo ready; wait")
    #expect(command.line() == "ready")
    command.program.end()
    #expect(command.line() == nil)
    command.program.wait()
    #expect(
      command.program.status().map { .init(waitStatus: $0) } == ChildProcess.End.signal(SIGKILL))
  }

  @Test("a child that ignores SIGTERM does not survive the program")
  func stubbornChild() throws {
    let command = try Command("(trap '' TERM; echo ready; exec sleep 1000) & wait")
    #expect(command.line() == "ready")
    command.program.end()
    #expect(command.line() == nil)
    command.program.wait()
    #expect(
      command.program.status().map { .init(waitStatus: $0) } == ChildProcess.End.signal(SIGTERM))
  }

  @Test("a program that obeys SIGTERM finishes what it does")
  func obedient() throws {
    let command = try Command(
      "trap 'echo tidy; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
    #expect(command.line() == "ready")
    command.program.end()
    #expect(command.line() == "tidy")
    command.program.wait()
    #expect(command.program.status().map { .init(waitStatus: $0) } == ChildProcess.End.status(3))
  }

  @Test("children of a program that ends by itself run on")
  func unasked() throws {
    let command = try Command("sleep 1000 & echo $!; exit 4")
    let child = try #require(command.line().flatMap { pid_t($0) })
    command.program.wait()
    #expect(command.program.status().map { .init(waitStatus: $0) } == ChildProcess.End.status(4))
    command.program.end()
    command.program.send(SIGKILL)
    #expect(kill(child, SIGKILL) == 0)
    #expect(command.line() == nil)
  }
}
