import EventLoop
import Glibc
import Observing
import Posix
import Symbols
import SystemPackage
import Terminal
import TextTools
import Time

/// A resident addr2line: addresses go in, functions and source lines come out.
///
/// It may hang, end or print anything: nothing waits for it, and what it prints without an answer
/// is limited.
final class AddressProgram {
  enum Event {
    /// The frames of an address that was asked for; none if it is not known.
    case answer(UInt64, [SourceFrame])
    /// It cannot be used any more, for this reason. This is the last event.
    case failed(String)
  }

  private let child: PipedChild
  private let loop: IOLoop
  private let onEvent: (Event) -> Void
  private var input: OutputChannel?
  private var inputEvents: ObservationToken<OutputChannel.Event>?
  private var answers = SymbolAnswers()
  private var line: [UInt8] = []
  /// The beginning of its standard error.
  private var errors: [UInt8] = []
  /// The number of bytes that it has printed since the last answer.
  private var unansweredCount = 0
  private var hasFailed = false

  /// The number of bytes that an answer may have.
  private static let mostBytes = 1 << 18
  private static let longestLine = 4_096
  private static let longestError = 300

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: its file.
  ///   - path: the ELF file.
  ///   - onEvent: called with each event, in turns of the loop.
  /// - Throws: the errors of pipe(2), posix_spawn(3) and epoll_ctl(2).
  init(
    _ program: String, reading path: FilePath, on loop: IOLoop, onEvent: @escaping (Event) -> Void
  ) throws(Errno) {
    (self.loop, self.onEvent) = (loop, onEvent)
    child = try PipedChild(
      words: [program, "-a", "-f", "-i", "-C", "-e", path.string],
      .init(errors: .piped, leads: .session, isGuarded: true))
    try child.follow(on: loop) { [unowned self] in handle($0) }
    guard let descriptor = child.inputDescriptor else { return }
    let channel = try OutputChannel(descriptor, on: loop, whenFull: .leaveOutSilently)
    inputEvents = channel.events.observe { [unowned self] in
      if case .gone = $0 { child.end() }
    }
    input = channel
  }

  deinit { child.end(SIGKILL) }

  /// Asks for the frames of an address.
  func ask(_ address: UInt64) {
    guard !hasFailed else { return }
    input?.write(SymbolAnswers.question(address))
  }

  /// Kills it. It reports nothing any more.
  func stop() {
    hasFailed = true
    (inputEvents, input) = (nil, nil)
    child.stop()
    child.end(SIGKILL)
  }

  private func handle(_ event: PipedChild.Event) {
    switch event {
    case .output(let bytes): receive(bytes)
    case .errors(let bytes): errors += bytes.prefix(Self.longestError - errors.count)
    // Its end follows.
    case .outputClosed: child.end()
    case .ended(let end): fail("it \(ExitStatus(end).ofCommand)")
    case .exited: break
    }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    unansweredCount += bytes.count
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      line += rest[..<end].prefix(Self.longestLine - min(line.count, Self.longestLine))
      rest = rest[(end + 1)...]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let answer = answers.receive(line)
      line.removeAll(keepingCapacity: true)
      if let (address, frames) = answer {
        unansweredCount = rest.count
        onEvent(.answer(address, frames))
        if hasFailed { return }
      }
    }
    line += rest.prefix(Self.longestLine - min(line.count, Self.longestLine))
    if unansweredCount > Self.mostBytes { fail("it prints no answers") }
  }

  private func fail(_ reason: String) {
    child.errors?.readRest()
    stop()
    // Released at the end of the turn, because it is calling.
    loop.atEndOfTurn { _ = self }
    let said = errors.prefix { !"\r\n".utf8.contains($0) }
    let text = String(decoding: said, as: UTF8.self).harmless
    onEvent(.failed(text.isEmpty ? reason : "\(reason): \(text)"))
  }
}
