package import EventLoop
import Glibc
import Posix
import SerialCore
package import SystemPackage

/// Runs labgrid-client, and collects what it prints. Release this object to give up.
package final class LabgridQuery {
  /// Why there is no answer.
  package enum Failing: Error, Hashable, Sendable {
    case notInstalled
    case cannotStart(Errno)
    /// The time limit has passed.
    case noAnswer
    /// It has failed, with the last line of its standard error.
    case failed(lastLine: String?)
  }

  package typealias Answer = Result<String, Failing>

  private var program: PipedChild?
  private var output: [UInt8] = []
  private var errors = ErrorTail()
  private var deadline: LoopTimer?
  private var done: ((Answer) -> Void)?

  /// The time limit. labgrid-client is in Python, and asks a server.
  private static let timeout = Duration.seconds(30)
  /// As many bytes of its output are kept. A place has some ten resources.
  private static let outputLimit = 1_048_576

  /// Starts labgrid-client.
  ///
  /// - Parameters:
  ///   - words: its arguments.
  ///   - done: called once, in a turn of the loop.
  package init(_ words: [String], on loop: IOLoop, done: @escaping (Answer) -> Void) {
    self.done = done
    do throws(Errno) {
      let program = try PipedChild(
        words: [LabgridPlace.operation] + words,
        .init(
          errors: .piped, leads: .session, isGuarded: true, resetsSignals: true,
          survivesRelease: false))
      self.program = program
      try program.follow(on: loop) { [unowned self] in handle($0) }
      deadline = loop.schedule(after: Self.timeout) { [unowned self] in finish(.failure(.noAnswer))
      }
    } catch {
      let failing = error == .noSuchFileOrDirectory ? Failing.notInstalled : .cannotStart(error)
      deadline = loop.schedule(after: .zero) { [unowned self] in finish(.failure(failing)) }
    }
  }

  deinit { program?.end() }

  private func handle(_ event: PipedChild.Event) {
    switch event {
    case .output(let bytes): output += bytes.prefix(Self.outputLimit - output.count)
    case .errors(let bytes): errors.add(bytes)
    case .ended(.status(0)): finish(.success(String(decoding: output, as: UTF8.self)))
    case .ended:
      program?.errors?.readRest()
      finish(.failure(.failed(lastLine: errors.lastLine)))
    case .outputClosed, .exited: break
    }
  }

  private func finish(_ answer: Answer) {
    deadline = nil
    let done = done.take()
    done?(answer)
  }

  /// Returns a variable of the environment; nil if it is empty.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the environment names a coordinator. Without that, labgrid-client tries this computer.
  package static var isConfigured: Bool {
    // A configuration file; the address; and that of labgrid 24 and before.
    ["LG_ENV", "LG_COORDINATOR", "LG_CROSSBAR"].contains { variable($0) != nil }
  }

  /// The user as labgrid names it: `HOST/USER`. Its variables are those of labgrid-client.
  package static var user: String {
    var host = [CChar](repeating: 0, count: 257)
    gethostname(&host, host.count - 1)
    let hostName = String(
      decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // As Python's getpass.getuser.
    let names = ["LG_USERNAME", "LOGNAME", "USER", "LNAME", "USERNAME"]
    let userName =
      names.lazy.compactMap(variable).first ?? AccountName.of(UserID(rawValue: geteuid())) ?? ""
    return "\(variable("LG_HOSTNAME") ?? hostName)/\(userName)"
  }
}

extension LabgridQuery.Failing {
  /// The reason in words, with what helps; for ``failed(lastLine:)`` what labgrid-client says.
  package var words: String {
    switch self {
    case .notInstalled: "labgrid-client is not installed: 'pip install labgrid'"
    case .cannotStart(let error): "labgrid-client cannot be started (\(error))"
    case .noAnswer: "labgrid-client does not answer"
    case .failed(let lastLine): LabgridPlace.problem(lastLine, of: "").words
    }
  }

  /// Whether the coordinator, or labgrid-client on its behalf, does not answer.
  package var isUnreachable: Bool {
    switch self {
    case .notInstalled, .cannotStart: false
    case .noAnswer: true
    case .failed(let lastLine): LabgridPlace.problem(lastLine, of: "").code == .unreachable
    }
  }
}
