import Glibc
import Posix
import SystemPackage
import Testing

@testable import EventLoop

@Suite struct PipedChildTests {
  private let loop: IOLoop

  init() throws { loop = try IOLoop() }

  /// What a child did, in the order in which it was reported.
  private final class Record {
    var events: [String] = []
    var output: [UInt8] = []
    var errors: [UInt8] = []

    func add(_ event: PipedChild.Event) {
      switch event {
      case .output(let bytes): output += bytes
      case .errors(let bytes): errors += bytes
      case .outputClosed: events.append("closed")
      case .exited(let end): events.append("exited \(end)")
      case .ended(let end): events.append("ended \(end)")
      }
    }

    var hasEnded: Bool { events.last?.hasPrefix("ended") ?? false }
  }

  @Test func itsOutputIsReadBeforeItsEndIsReported() throws {
    let record = Record()
    let child = try PipedChild(
      "head -c 200000 /dev/zero; echo why >&2; exit 3", .init(errors: .piped))
    try child.follow(on: loop) { record.add($0) }
    try loop.turn { record.hasEnded }
    child.errors?.readRest()
    #expect(record.output.count == 200_000)
    #expect(String(decoding: record.errors, as: UTF8.self) == "why\n")
    #expect(record.events.filter { $0 != "closed" } == ["exited status(3)", "ended status(3)"])
    #expect(child.exit == .status(3))
  }

  @Test func `A released program that need not survive cannot write any more`() throws {
    var pipe: (reader: SharedDescriptor, writer: SharedDescriptor)? = try SharedDescriptor.pipe()
    let reader = try #require(pipe?.reader)
    let output = try #require(pipe?.writer.borrowed)
    // It writes more than a pipe holds: it would wait for a reader for ever.
    var child: PipedChild? = try PipedChild(
      "while echo x >&2; do :; done",
      .init(
        streams: .descriptor(output), errors: .piped, resetsSignals: true, survivesRelease: false))
    try child?.follow(on: loop) { _ in }
    pipe = nil
    child = nil
    var hasEnded = false
    let watch = try loop.watch(reader.borrowed, for: .hangUp) { hasEnded = $0.contains(.hungUp) }
    try loop.turn { hasEnded }
    watch.cancel()
  }

  @Test func aChildOfItThatKeepsThePipeDoesNotDelayTheEnd() throws {
    let record = Record()
    // Its descendant waits for a line that does not come before the end is known.
    let child = try PipedChild("echo one; exec 3<&0; (read x <&3) & exit 0")
    try child.follow(on: loop) { record.add($0) }
    try loop.turn { record.hasEnded }
    #expect(String(decoding: record.output, as: UTF8.self) == "one\n")
    #expect(record.events == ["exited status(0)", "ended status(0)"])
  }

  @Test func withoutRoomNothingIsRead_andTheEndWaits() throws {
    let record = Record()
    var room = 0
    let child = try PipedChild("echo one")
    try child.follow(on: loop, outputRoom: { room }) { record.add($0) }
    try loop.turn { !record.events.isEmpty }
    try loop.turn(waitingAtMost: .zero)
    #expect(record.events == ["exited status(0)"])
    #expect(record.output.isEmpty)
    room = 3
    child.output?.resume()
    try loop.turn { record.hasEnded }
    #expect(String(decoding: record.output, as: UTF8.self) == "one\n")
  }

  @Test func askingInEveryTurnDoesNotPostponeTheRest() throws {
    let record = Record()
    let child = try PipedChild("echo one")
    var room = 0
    try child.follow(on: loop, outputRoom: { room }) { record.add($0) }
    try loop.turn { !record.events.isEmpty }
    room = 3
    try loop.turn {
      child.output?.resume()
      return record.hasEnded
    }
    #expect(String(decoding: record.output, as: UTF8.self) == "one\n")
  }

  @Test func aClosedOutputIsReportedWhileItRuns() throws {
    let record = Record()
    let child = try PipedChild("exec >&-; read x; exit 7")
    try child.follow(on: loop) { record.add($0) }
    try loop.turn { !record.events.isEmpty }
    #expect(record.events == ["closed"])
    child.closeInput()
    try loop.turn { record.hasEnded }
    #expect(record.events == ["closed", "exited status(7)", "ended status(7)"])
  }

  @Test func withoutPipesOnlyItsEndIsReported() throws {
    let record = Record()
    let child = try PipedChild("cat; kill -TERM $$", .init(streams: .none))
    try child.follow(on: loop) { record.add($0) }
    try loop.turn { record.hasEnded }
    #expect(child.inputDescriptor == nil)
    #expect(record.events == ["exited signal(15)", "ended signal(15)"])
  }

  @Test func whatItDidNotReadIsCounted() throws {
    let child = try PipedChild("exec sleep 600", .init(isGuarded: true))
    let input = try #require(child.inputDescriptor)
    #expect(try input.writeAll("four".utf8) == 4)
    #expect(child.unreadCount == 4)
    let record = Record()
    try child.follow(on: loop) { record.add($0) }
    child.end(SIGKILL)
    try loop.turn { record.hasEnded }
    #expect(record.events.last == "ended signal(9)")
  }

  @Test func whoReleasesItHearsNoMore_andItsInputEnds() throws {
    let record = Record()
    // It writes after that, and is not killed by SIGPIPE.
    let (reader, writer) = try SharedDescriptor.pipe()
    let file = "/proc/\(getpid())/fd/\(writer.borrowed.rawValue)"
    var child: PipedChild? = try PipedChild("read x; echo late; echo $? >\(file)")
    try child?.follow(on: loop) { record.add($0) }
    child = nil
    var bytes = [UInt8](repeating: 0, count: 2)
    #expect(try bytes.withUnsafeMutableBytes { try reader.borrowed.read(into: $0) } == 2)
    #expect(String(decoding: bytes, as: UTF8.self) == "0\n")
    try loop.turn(waitingAtMost: .zero)
    withExtendedLifetime((reader, writer)) {}
    #expect(record.events.isEmpty && record.output.isEmpty)
  }

  @Test func variablesAreAddedAndReplaced() throws {
    let record = Record()
    setenv("PIPED_CHILD_TEST", "old", 1)
    let child = try PipedChild(
      "echo $PIPED_CHILD_TEST $PIPED_CHILD_OTHER",
      .init(environment: [("PIPED_CHILD_TEST", "new"), ("PIPED_CHILD_OTHER", "too")]))
    try child.follow(on: loop) { record.add($0) }
    try loop.turn { record.hasEnded }
    #expect(String(decoding: record.output, as: UTF8.self) == "new too\n")
  }
}
