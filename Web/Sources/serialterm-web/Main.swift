import CArguments
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
      // Not CommandLine.arguments, which are those of /proc.
      try await start((1..<max(1, arguments_count())).map { String(cString: arguments_at($0)) })
    } catch let mistake as Options.Mistake {
      fail("\(mistake). See 'serialterm-web --help'.", status: 2)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func start(_ words: [String]) async throws {
    if words.contains("--help") { return print(Options.usage, terminator: "") }
    if words.contains("--version") { return print("serialterm-web \(version)") }
    // Swift's threads read the states of tasks there, and crash now and then without it.
    guard access("/proc/self/task", X_OK) == 0 else {
      fail("serialterm-web needs /proc, which is not mounted here.", status: 1)
    }
    let options = try Options(words)
    guard let program = Self.program(options) else {
      fail(
        "cannot find serialterm beside this program or in PATH: name it with --program.", status: 1)
    }
    let descriptors = DescriptorLimit.raised(loops: NIOSingletons.groupLoopCountSuggestion)
    if !descriptors.isEnough {
      Log.write(
        "the limit of open files is \(descriptors.count): at most \(descriptors.pages) pages at one time."
      )
    }
    let admission = try admission(options)
    let server = Server(
      admission: admission, sessions: SessionList(program: program, pid: options.pid),
      program: program, rules: RequestRules(host: options.host, proxies: options.names),
      allowed: options.allowed, descriptors: descriptors)
    do {
      try await server.listen(host: options.host, port: options.port)
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
      fail("cannot listen at \(options.host):\(options.port): \(reason).", status: 1)
    }
    say(try link(options, admission), to: .standardOutput)
    if options.endsWithInput { endWithInput() }
    try await server.run()
  }

  private static func admission(_ options: Options) throws(Token.FileError) -> Admission {
    guard options.isOpen else {
      return Admission(token: try Token.kept(at: Token.file()), isOpen: false)
    }
    // Pages need none. Without a usable file, other programs are not let in.
    return Admission(token: try? Token.read(Token.file()), isOpen: true)
  }

  /// The address of the page. The token is behind `#`, which browsers send to nobody.
  ///
  /// A file and the journal keep what is printed, and others may read it: they get the place of
  /// the token instead.
  private static func link(
    _ options: Options, _ admission: Admission
  ) throws(Token.FileError) -> String {
    var host = options.host
    if host == "0.0.0.0" || host == "::" {
      var buffer = [CChar](repeating: 0, count: 256)
      if gethostname(&buffer, buffer.count - 1) == 0 {
        host = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      }
    }
    if host.contains(":") { host = "[\(host)]" }
    let address = "http://\(host):\(options.port)/"
    guard !admission.isOpen, let token = admission.token else { return address }
    guard isKept(.standardOutput) else { return "\(address)#\(token.text)" }
    let file = Log.cleaned(try Token.file().string)
    return "\(address), with '#' and the token behind it: 'cat \(file)' prints it."
  }

  /// Whether a stream is a file or a socket, such as that of the journal.
  private static func isKept(_ stream: SystemPackage.FileDescriptor) -> Bool {
    var status = stat()
    guard fstat(stream.rawValue, &status) == 0 else { return true }
    return [S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT)
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

  /// Ends the program with its standard input: serialterm, which has the other end, is gone then,
  /// in whatever way.
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
