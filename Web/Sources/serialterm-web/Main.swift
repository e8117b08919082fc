import Glibc
import NIOCore
import NIOPosix
import Subprocess
import SystemPackage

/// `serialterm-web`: this user's sessions on a page for browsers.
@main
enum Main {
  static func main() async {
    // A browser or a session that is gone is an error of write(2), not the end.
    signal(SIGPIPE, SIG_IGN)
    // Who sits at a session comes before those who watch it.
    _ = nice(5)
    do {
      try await start(Array(CommandLine.arguments.dropFirst()))
    } catch let mistake as Options.Mistake {
      fail("\(mistake). See 'serialterm-web --help'.", status: 2)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func start(_ words: [String]) async throws {
    if words.contains("--help") { return print(Options.usage, terminator: "") }
    if words.contains("--version") { return print("serialterm-web \(version)") }
    let options = try Options(words)
    guard let program = Self.program(options) else {
      fail(
        "cannot find serialterm beside this program or in PATH: name it with --program.", status: 1)
    }
    let token = options.isOpen ? nil : try keptToken()
    let server = Server(
      token: token, sessions: SessionList(program: program, pid: options.pid), program: program,
      rules: RequestRules(names: [options.host] + options.names), allowed: options.allowed)
    do {
      try await server.listen(host: options.host, port: options.port)
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
      fail("cannot listen at \(options.host):\(options.port): \(reason).", status: 1)
    }
    say(link(options, token), to: .standardOutput)
    if options.endsWithInput { endWithInput() }
    try await server.run()
  }

  private static func keptToken() throws(Token.FileError) -> Token {
    guard let folder = Token.folder else { return Token.random() }
    return try Token.kept(in: folder)
  }

  /// The address of the page. The token is behind `#`, which browsers send to nobody.
  private static func link(_ options: Options, _ token: Token?) -> String {
    var host = options.host
    if host == "0.0.0.0" || host == "::" {
      var buffer = [CChar](repeating: 0, count: 256)
      if gethostname(&buffer, buffer.count - 1) == 0 {
        host = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      }
    }
    if host.contains(":") { host = "[\(host)]" }
    return "http://\(host):\(options.port)/" + (token.map { "#\($0.text)" } ?? "")
  }

  /// The serialterm to use: as the options say, beside this program, or in `PATH`.
  private static func program(_ options: Options) -> String? {
    if let program = options.program { return program }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    var folders: [String] = []
    if count > 0 {
      let path = FilePath(
        String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
      folders.append(path.removingLastComponent().string)
    }
    let searched = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    folders += searched.split(separator: ":").map(String.init)
    return folders.map { "\($0)/serialterm" }.first { access($0, X_OK) == 0 }
  }

  /// Ends the program with its standard input: serialterm, which has the other end, is gone then, in
  /// whatever way.
  private static func endWithInput() {
    NIOThreadPool.singleton.submit { _ in
      var byte: UInt8 = 0
      while read(STDIN_FILENO, &byte, 1) > 0 {}
      exit(0)
    }
  }

  private static func say(_ line: String, to stream: SystemPackage.FileDescriptor) {
    // A reader that is gone does not matter.
    _ = try? stream.writeAll("\(line)\n".utf8)
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    say("serialterm-web: \(message)", to: .standardError)
    exit(status)
  }
}
