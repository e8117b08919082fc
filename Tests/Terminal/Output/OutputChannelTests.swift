import EventLoop
import Glibc
import Observing
import Posix
import SystemPackage
import TestSupport
import Testing
import TextTools

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct OutputChannelTests {
  /// A channel with its reader.
  private final class Bench {
    let clock = TestClock()
    let loop: IOLoop
    let channel: OutputChannel
    private var reader: FileDescriptor?
    private let writer: FileDescriptor
    private(set) var events: [String] = []
    private var tokens: [AnyObject] = []

    /// - Parameter isPipe: whether the output is a pipe. A socket cannot be made non-blocking for
    ///   the channel alone.
    init(_ whenFull: OutputChannel.WhenFull, isPipe: Bool = true) throws {
      signal(SIGPIPE, SIG_IGN)
      loop = try IOLoop(clock: { [clock] in clock.now })
      var ends: [CInt] = [0, 0]
      if isPipe {
        let pipe = try FileDescriptor.pipe()
        ends = [pipe.readEnd.rawValue, pipe.writeEnd.rawValue]
      } else {
        try systemCall { socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) }
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      reader = FileDescriptor(rawValue: ends[0])
      writer = FileDescriptor(rawValue: ends[1])
      channel = try OutputChannel(writer, on: loop, whenFull: whenFull)
      tokens = [
        channel.events.observe { [unowned self] in
          switch $0 {
          case .room: events.append("room")
          case .drained: events.append("drained")
          case .gone(let error): events.append("gone \(error.rawValue)")
          }
        },
        channel.gaps.observe { [unowned self] in
          switch $0 {
          case .began: events.append("overflow")
          case .ended(let count): events.append("gap \(count)")
          }
        },
      ]
    }

    deinit {
      closeReader()
      _ = try? writer.close()
    }

    func closeReader() {
      _ = try? reader?.close()
      reader = nil
    }

    func turn() throws { for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) } }

    /// Reads the available bytes, without a turn of the loop.
    func read(atMost limit: Int = .max) -> [UInt8] {
      var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
      while bytes.count < limit {
        let count = buffer.withUnsafeMutableBytes { buffer in
          let room = min(buffer.count, limit - bytes.count)
          return (try? reader?.read(into: .init(rebasing: buffer[..<room]))) ?? 0
        }
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return bytes
    }

    /// Reads everything, turn by turn.
    func readAll() throws -> [UInt8] {
      var bytes: [UInt8] = []
      while true {
        let more = read()
        bytes += more
        let wasDrained = channel.isDrained
        try turn()
        if more.isEmpty && wasDrained { return bytes }
      }
    }

    func write(_ bytes: [UInt8], isMessage: Bool = false) {
      bytes.withUnsafeBytes { channel.write($0, isMessage: isMessage) }
    }
  }

  private static func numbers(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  }

  @Test(arguments: [true, false])
  func `Bytes that the reader does not take wait, and follow in order`(isPipe: Bool) throws {
    let bench = try Bench(.pushBack, isPipe: isPipe)
    let bytes = Self.numbers(300_000)
    bench.write(Array(bytes[..<1_000]))
    bench.write(Array(bytes[1_000...]))
    #expect(!bench.channel.isDrained)
    #expect(bench.channel.unwrittenCount > 0)
    let read = try bench.readAll()
    #expect(difference(read, from: bytes) == nil)
    #expect(bench.channel.isDrained && bench.channel.unwrittenCount == 0)
    #expect(bench.events.last == "drained" || bench.events.last == "room")
  }

  @Test func `A descriptor that may block is written to only when it is writable`() throws {
    let bench = try Bench(.pushBack, isPipe: false)
    bench.write([1, 2, 3])
    #expect(bench.read().isEmpty)
    try bench.turn()
    #expect(bench.read() == [1, 2, 3])
  }

  @Test func `A full pipe loses nothing and asks for a pause until it is read`() throws {
    let bench = try Bench(.pushBack)
    let bytes = Self.numbers(1_000_000)
    bench.write(bytes)
    #expect(bench.channel.isCrowded)
    let first = bench.read(atMost: 500_000)
    try bench.turn()
    #expect(bench.channel.isCrowded)
    #expect(!bench.events.contains("room"))
    let rest = try bench.readAll()
    #expect(difference(first + rest, from: bytes) == nil)
    #expect(!bench.channel.isCrowded)
    #expect(bench.events.filter { $0 == "room" }.count == 1)
    #expect(!bench.events.contains("overflow"))
  }

  @Test func `Bytes that do not fit are counted, and a message after them is kept`() throws {
    let bench = try Bench(.leaveOut)
    let piece = Self.numbers(4_096)
    let pieces = 200
    for _ in 0..<pieces { bench.write(piece) }
    #expect(bench.events == ["overflow"])
    bench.write(Array("message".utf8), isMessage: true)
    bench.write(piece)
    let read = try bench.readAll()
    let gap = bench.events.compactMap { event in
      event.hasPrefix("gap ") ? Int(event.dropFirst(4)) : nil
    }
    try #require(gap.count == 1)
    let notice = Array("\u{18}\r\n[\(gap[0].counted("byte")) not shown]\r\nmessage".utf8)
    #expect(read.count == (pieces + 1) * piece.count - gap[0] + notice.count)
    #expect(Array(read.suffix(notice.count)) == notice)
    // Continues without a gap.
    bench.write([1])
    #expect(try bench.readAll() == [1])
    #expect(bench.channel.unwrittenCount == 0)
  }

  @Test func `A program gets no notice of a gap`() throws {
    let bench = try Bench(.leaveOutSilently)
    let piece = Self.numbers(4_096)
    for _ in 0..<200 { bench.write(piece) }
    let read = try bench.readAll()
    #expect(read.count < 200 * piece.count)
    #expect(difference(Array(read.suffix(piece.count)), from: piece) == nil)
    #expect(bench.events.contains { $0.hasPrefix("gap ") })
  }

  @Test func `A terminal that takes nothing is not waited for`() throws {
    let bench = try Bench(.leaveOut)
    bench.write(Self.numbers(200_000))
    #expect(bench.channel.isCrowded)
    try bench.turn()
    bench.clock.advance(by: .milliseconds(30))
    try bench.turn()
    #expect(!bench.channel.isCrowded)
    #expect(bench.events == ["room"])
  }

  @Test func `A terminal that makes progress is waited for`() throws {
    let bench = try Bench(.leaveOut)
    bench.write(Self.numbers(300_000))
    for _ in 0..<3 {
      _ = bench.read(atMost: 30_000)
      try bench.turn()
      bench.clock.advance(by: .milliseconds(30))
      try bench.turn()
      #expect(bench.channel.isCrowded)
    }
    #expect(bench.events.isEmpty)
  }

  @Test(arguments: [0, 10, 300_000])
  func `A reader that goes away is reported once, and what is left is counted`(
    count: Int
  ) throws {
    let bench = try Bench(.pushBack)
    bench.write(Self.numbers(count))
    let waiting = bench.channel.unwrittenCount
    bench.closeReader()
    try bench.turn()
    bench.write([1, 2, 3])
    bench.write([4])
    try bench.turn()
    #expect(bench.events.filter { $0.hasPrefix("gone") } == ["gone \(EPIPE)"])
    #expect(bench.channel.unwrittenCount == waiting + 4)
    #expect(bench.channel.finish(within: .zero) == 0, "nothing waits for it")
  }

  @Test func `The end waits for the reader within its limit`() throws {
    let bench = try Bench(.pushBack)
    bench.write(Self.numbers(100_000))
    let left = bench.channel.finish(within: .milliseconds(1))
    #expect(left > 0)
    #expect(bench.read().count + left == 100_000)
    #expect(bench.channel.finish(within: .seconds(60)) == 0)
  }

  @Test func `Giving up writes the last bytes in place of those that wait`() throws {
    let bench = try Bench(.leaveOut)
    bench.write(Self.numbers(100_000))
    let taken = bench.read()
    bench.channel.giveUp(writing: [0x18, 0x19])
    #expect(bench.read() == [0x18, 0x19])
    #expect(taken.count < 100_000)
    // If nothing is discarded, no repair is needed.
    bench.channel.giveUp(writing: [0x18])
    #expect(bench.read().isEmpty)
  }
}
