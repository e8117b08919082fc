import Glibc
import Posix
import SystemPackage
import Time

/// Runs another program to its end.
enum Subprocess {
  /// The end of a program: its output, and whether it succeeded.
  struct Outcome {
    let output: String
    let hasSucceeded: Bool
  }

  /// Runs a program without input, in its own process group, which is killed at the time limit.
  ///
  /// - Parameters:
  ///   - arguments: the program, searched along PATH, and its arguments.
  ///   - environment: additional environment variables, as `NAME=value`.
  ///   - limit: the time limit.
  static func run(
    _ arguments: [String], adding environment: [String] = [], within limit: Duration
  ) throws -> Outcome {
    let pipe = try FileDescriptor.pipe(options: .closeOnExec)
    defer { try? pipe.readEnd.close() }
    let process: pid_t
    do {
      defer { try? pipe.writeEnd.close() }
      process = try spawn(arguments, adding: environment, output: pipe.writeEnd)
    }
    let output = try readAll(of: pipe.readEnd, until: .now + limit)
    if output == nil { kill(-process, SIGKILL) }
    var status: CInt = 0
    try systemCall { waitpid(process, &status, 0) }
    return Outcome(
      output: output ?? "not done within \(limit)", hasSucceeded: output != nil && status == 0)
  }

  private static func spawn(
    _ arguments: [String], adding environment: [String], output: FileDescriptor
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for target in 1...2 as ClosedRange<CInt> {
      posix_spawn_file_actions_adddup2(&actions, output.rawValue, target)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))

    var inherited: [UnsafeMutablePointer<CChar>?] = []
    var entry = environ
    while let variable = entry.pointee {
      inherited.append(strdup(variable))
      entry += 1
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = inherited + environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, arguments[0], &actions, &attributes, argv, envp)
    guard error == 0 else { throw Errno(rawValue: error) }
    return process
  }

  /// Reads until all writers have closed the pipe; nil if that takes too long.
  private static func readAll(
    of descriptor: FileDescriptor, until deadline: MonotonicTime
  ) throws -> String? {
    var bytes: [UInt8] = []
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { chunk.deallocate() }
    while true {
      let left = (deadline - .now).nanoseconds / 1_000_000
      var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&request, 1, CInt(left)) > 0 else { return nil }
      switch try descriptor.readAvailable(into: chunk) {
      case .bytes(let count): bytes += chunk[..<count]
      case .wouldBlock: continue
      case .endOfFile: return String(decoding: bytes, as: UTF8.self)
      }
    }
  }
}
