import NIOCore
import Subprocess
import Synchronization
import SystemPackage

/// A page's membership in a session: a `serialterm attach --json` of its own. So the page has a
/// name and a pen like any other member, and what it does not take is left out of its own view
/// and counted by the session.
final class Viewer: Sendable {
  private let program: String
  private let session: String
  private let name: String
  private let lines: AsyncStream<String>
  private let input: AsyncStream<String>.Continuation

  /// The number of commands that wait for the session.
  private static let mostCommands = 64
  /// The length of the longest event in bytes.
  private static let longestEvent = 4 << 20
  /// The number of lines that a program may put into the log.
  private static let mostComplaints = 20

  /// - Parameters:
  ///   - program: the path of serialterm.
  ///   - session: what `serialterm attach` calls the session.
  ///   - name: the name for the other members.
  init(program: String, session: String, name: String) {
    (self.program, self.session, self.name) = (program, session, name)
    (lines, input) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(Self.mostCommands))
    send(#"{"command":"watch","events":["people","commands","lines"],"received":"shown"}"#)
  }

  /// Passes a command on.
  ///
  /// - Returns: false if too many wait, or the membership has ended; this one is not passed on then.
  @discardableResult
  func send(_ line: String) -> Bool {
    if case .enqueued = input.yield(line + "\n") { true } else { false }
  }

  /// Why a membership has ended.
  enum End: Equatable {
    /// The session has ended, for a reason that its members get.
    case ended(String)
    /// There is no such session.
    case missing
    /// The program of the session was killed.
    case killed
    /// The page has left it.
    case left
    /// Something failed here. The log has the reason, which may tell of this computer.
    case failed

    /// - Parameters:
    ///   - reason: what the session has said; nil if nothing.
    ///   - status: the exit status of `serialterm attach`.
    init(reason: String?, status: TerminationStatus) {
      switch (reason, status) {
      case (let reason?, _): self = .ended(reason)
      case (nil, .exited(0)): self = .ended("the session has ended")
      case (nil, .exited(3)): self = .missing
      case (nil, .exited(6)): self = .killed
      default: self = .failed
      }
    }

    /// The reason for pages.
    var words: String {
      switch self {
      case .ended(let reason): reason
      case .missing: "no such session is running"
      case .killed: "the program of the session was killed"
      case .left: "left"
      case .failed: "the session cannot be shown: the log of the server says why"
      }
    }
  }

  /// Joins the session until it ends, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - note: called with what the server itself takes note of.
  ///   - take: takes events, each a line of JSON. While it does not return, nothing is read.
  /// - Returns: why it has ended.
  func run(
    noting note: @escaping @Sendable (SessionEvent) -> Void,
    take: @escaping @Sendable ([ByteBuffer]) async throws -> Void
  ) async -> End {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
    let reason = Mutex<String?>(nil)
    // Nobody reads commands any more.
    defer { input.finish() }
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)),
        arguments: Arguments(
          ["attach", session, "--json", "--quiet"] + (name.isEmpty ? [] : ["--as=\(name)"])),
        // It adds to the name that this is a browser.
        environment: .inherit.updating(["SERIALTERM_MEMBER": "browser"]),
        platformOptions: options,
        input: .inputWriter, output: .sequence, error: .sequence
      ) { [lines] execution in
        let writing = Task {
          for await line in lines { _ = try await execution.standardInputWriter.write(line) }
        }
        async let complaints: Void = log(execution.standardError)
        defer { writing.cancel() }
        var splitter = LineSplitter(limit: Self.longestEvent)
        for try await piece in execution.standardOutput {
          let events = try piece.withUnsafeBytes { try splitter.add($0) }
          for event in events.lazy.compactMap({ SessionEvent($0) }) {
            note(event)
            if case .ended(let said) = event { reason.withLock { $0 = said } }
          }
          if !events.isEmpty { try await take(events) }
        }
        await complaints
      }
      return End(reason: reason.withLock { $0 }, status: result.terminationStatus)
    } catch {
      guard !Task.isCancelled else { return .left }
      Log.write("\(session): \(error)")
      return .failed
    }
  }

  /// Puts what a program complains about into the log: the first lines, so that nobody fills it.
  private func log(_ complaints: SubprocessOutputSequence) async {
    var splitter = LineSplitter(limit: 4_096)
    var left = Self.mostComplaints
    do {
      for try await piece in complaints where left > 0 {
        for line in try piece.withUnsafeBytes({ try splitter.add($0) }).prefix(left) {
          left -= 1
          Log.write("\(session): \(String(buffer: line))")
        }
      }
    } catch {
      Log.write("\(session): its errors cannot be read: \(error)")
    }
  }
}
