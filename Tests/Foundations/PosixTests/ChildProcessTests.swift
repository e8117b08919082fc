import Glibc
import Posix
import SystemPackage
import Testing

@Suite("Child processes", .timeLimit(.minutes(30)))
struct ChildProcessTests {
  /// Runs a command of the shell and returns its output and its end.
  private func run(
    _ command: String, _ change: (inout ChildProcess.Plan) -> Void = { _ in }
  ) throws -> (output: String, end: ChildProcess.End) {
    var ends: [CInt] = [-1, -1]
    try systemCall { pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reader = OwnedDescriptor(FileDescriptor(rawValue: ends[0]))
    var writer: OwnedDescriptor? = OwnedDescriptor(FileDescriptor(rawValue: ends[1]))
    var plan = ChildProcess.Plan(defaultSignals: .all)
    plan.input = .null
    plan.output = .descriptor(FileDescriptor(rawValue: ends[1]))
    change(&plan)
    let pid = try ChildProcess.start(["sh", "-c", command], plan)
    writer = nil
    _ = consume writer
    var (output, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while case let count = read(reader.borrowed.rawValue, &buffer, buffer.count), count > 0 {
      output += buffer[..<count]
    }
    ChildProcess.waitForEnd(of: pid)
    var status: CInt = 0
    // The status is still there after the wait.
    #expect(waitpid(pid, &status, WNOHANG) == pid)
    return (String(decoding: output, as: UTF8.self), .init(waitStatus: status))
  }

  @Test("an exit status is not the same as a signal")
  func ends() throws {
    #expect(try run("exit 0").end == .status(0))
    #expect(try run("exit 130").end == .status(130))
    #expect(try run("kill -TERM $$").end == .signal(SIGTERM))
  }

  @Test("standard error joins the output, and the input is empty")
  func streams() throws {
    let joined = try run("cat; echo out; echo error >&2") { $0.errors = .output }
    #expect(joined.output == "out\nerror\n")
    #expect(try run("echo out; echo error >&2") { $0.errors = .null }.output == "out\n")
  }

  @Test("a program leads the group or the session that the plan asks for")
  func groups() throws {
    let fields = "read -r _ _ _ _ group session _ < /proc/self/stat; echo $group $session"
    let own = "\(getpgrp()) \(getsid(0))\n"
    #expect(try run(fields).output == own)
    let command = "echo $$; \(fields)"
    let group = try run(command) { $0.leads = .group }.output.split { " \n".contains($0) }
    #expect(group.first == group.dropFirst().first && group.last == "\(getsid(0))")
    let session = try run(command) { $0.leads = .session }.output.split { " \n".contains($0) }
    #expect(Set(session).count == 1)
  }

  @Test("ignored signals are default ones if the plan says so; others stay ignored")
  func signals() throws {
    let before = signal(SIGXFSZ, SIG_IGN)
    defer { _ = signal(SIGXFSZ, before) }
    let command = "kill -XFSZ $$; echo survived"
    #expect(try run(command).end == .signal(SIGXFSZ))
    #expect(try run(command) { $0.defaultSignals = sigset_t([]) }.output == "survived\n")
  }

  @Test("a program has the environment of the plan, or that of this process")
  func environment() throws {
    #expect(try run("echo $COLOUR") { $0.environment = ["COLOUR=red"] }.output == "red\n")
    #expect(try run("echo ${PATH:+set}").output == "set\n")
  }

  @Test("a program that does not exist is an error")
  func missing() {
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try ChildProcess.start(["/nonexistent"], ChildProcess.Plan(defaultSignals: .all))
    }
  }
}
