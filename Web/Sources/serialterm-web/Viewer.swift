import NIOCore
import Subprocess
import SystemPackage

/// A page's membership in a session: a `serialterm attach --json` of its own. So the page has a name and
/// a pen like any other member, and what it does not take is left out of its own view and counted by
/// the session.
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
  /// - Returns: false if too many wait; this one is not passed on then.
  @discardableResult
  func send(_ line: String) -> Bool {
    if case .enqueued = input.yield(line + "\n") { true } else { false }
  }

  /// Joins the session until it ends, or the task is cancelled.
  ///
  /// - Parameter take: takes events, each a line of JSON. While it does not return, nothing is read.
  /// - Returns: why it has ended.
  func run(take: @escaping @Sendable ([ByteBuffer]) async throws -> Void) async -> String {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
    do {
      let result = try await Subprocess.run(
        .path(FilePath(program)),
        arguments: ["attach", session, "--json", "--as=\(name)"], platformOptions: options,
        input: .inputWriter, output: .sequence, error: .string(limit: 4_096)
      ) { [lines] execution in
        let writing = Task {
          for await line in lines { _ = try await execution.standardInputWriter.write(line) }
        }
        defer { writing.cancel() }
        var splitter = LineSplitter(limit: Self.longestEvent)
        for try await piece in execution.standardOutput {
          let events = try piece.withUnsafeBytes { try splitter.add($0) }
          if !events.isEmpty { try await take(events) }
        }
      }
      let message = result.standardError.split(separator: "\n").last.map { String($0) }
      return message ?? "the session has ended"
    } catch {
      return Task.isCancelled ? "left" : "\(error)"
    }
  }
}
