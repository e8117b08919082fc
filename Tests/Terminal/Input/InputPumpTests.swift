import Encodings
import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage
import TerminalWidgets
import TestSupport
import Testing
import TextStages

@testable import Terminal

/// The way of typed bytes, or of a pipe's contents, to the device.
@Suite(.timeLimit(.minutes(30))) struct InputPumpTests {
  /// The receiver of typed bytes in place of the session.
  private final class Receiver: KeyReceiver {
    private let handler: (UnsafeRawBufferPointer) -> Int

    init(_ handler: @escaping (UnsafeRawBufferPointer) -> Int) { self.handler = handler }

    func receive(typed bytes: UnsafeRawBufferPointer) -> Int { handler(bytes) }
  }

  private final class Bench: InputPumpDelegate, SessionWriterDelegate {
    let clock = TestClock()
    let loop: IOLoop
    let link: FakeLink
    let session: Session
    let pump: InputPump
    private let reader: FileDescriptor
    private var writer: FileDescriptor?
    private(set) var commands: [UInt8] = []
    private(set) var otherKeys: [Key] = []
    private(set) var typed: [UInt8] = []
    private(set) var refusals: [Int] = []
    var refusedCount: Int { refusals.reduce(0, +) }
    private(set) var ends: [Errno?] = []
    private(set) var escapes: [EscapeParser.Command] = []
    /// The sent bytes at the time of the last command.
    private(set) var sentBefore = ""
    /// Whether a command stops the pump.
    var stopsAtCommand = false

    static let endpoint = Endpoint.tty("/dev/ttyTEST")

    init(
      isTerminal: Bool, isReadOnly: Bool = false, isOpen: Bool = true, capacity: Int? = nil
    ) throws {
      loop = try IOLoop(clock: { [clock] in clock.now })
      let link = FakeLink(to: Self.endpoint)
      self.link = link
      session = Session(
        settings: LineSettings(),
        writeCapacity: capacity ?? InputPump.queueCapacity(isTerminal: isTerminal)
      ) { _ in link }
      let pipe = try FileDescriptor.pipe()
      (reader, writer) = (pipe.readEnd, pipe.writeEnd)
      for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(pipe.writeEnd.rawValue, F_SETFL, O_NONBLOCK)
      pump = InputPump(
        from: reader, to: session, isTerminal: isTerminal, isReadOnly: isReadOnly, on: loop)
      pump.prefix = .standard
      (pump.delegate, pump.writer.delegate) = (self, self)
      if isOpen { try session.open(Self.endpoint) }
      try pump.start()
    }

    func inputDidBegin(_ input: InputPump) {}
    func input(_ input: InputPump, didReadCommand key: UInt8) {
      commands.append(key)
      sentBefore = sent
      if stopsAtCommand { pump.stop() }
    }

    func input(_ input: InputPump, didReadOther key: Key) { otherKeys.append(key) }

    func input(_ input: InputPump, didReadEscape command: EscapeParser.Command) {
      escapes.append(command)
      if stopsAtCommand { pump.stop() }
    }

    func writer(_ writer: SessionWriter, writeShared bytes: UnsafeRawBufferPointer) -> Bool {
      false
    }
    func writer(_ writer: SessionWriter, didAccept bytes: UnsafeRawBufferPointer) { typed += bytes }
    func writer(_ writer: SessionWriter, didWrite bytes: UnsafeRawBufferPointer) {}
    func writer(_ writer: SessionWriter, didRefuse character: UnencodableText) {}
    func writer(_ writer: SessionWriter, didRefuse count: Int) { refusals.append(count) }
    func inputDidEnd(_ input: InputPump, with error: Errno?) { ends.append(error) }

    deinit {
      pump.stop()
      close()
      _ = try? reader.close()
    }

    func close() {
      _ = try? writer?.close()
      writer = nil
    }

    func turn() throws { for _ in 0..<4 { try loop.turn(waitingAtMost: .zero) } }

    func type(_ text: String) throws {
      _ = try writer?.writeAll(text.utf8)
      try turn()
    }

    /// Writes as many bytes as the pump reads.
    ///
    /// - Returns: the number of bytes that the pipe took.
    func pour(_ bytes: [UInt8]) throws -> Int {
      var count = 0
      while count < bytes.count {
        let written = bytes[count...].withUnsafeBytes { (try? writer?.write($0)) ?? 0 }
        count += written
        try turn()
        if written == 0 { break }
      }
      return count
    }

    /// Makes the device take bytes.
    func accept(_ count: Int = .max) throws {
      link.appetite = count
      session.handle(.writable)
      try turn()
    }

    var sent: String { String(decoding: link.sent, as: UTF8.self) }
  }

  private static func numbers(_ count: Int) -> [UInt8] {
    // Without the prefix key.
    (0..<count).map { 0x20 | UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  }

  // MARK: Keys in other forms

  @Test func `The beginning of a key waits for its rest`() throws {
    let bench = try Bench(isTerminal: true)
    try bench.type("a\u{1B}[27;5;1")
    #expect(bench.sent == "a")
    try bench.type("16~")
    try bench.type("\u{1B}[11")
    try bench.type("3uz")
    #expect(bench.commands == [UInt8(ascii: "q")])
    #expect(bench.sent == "az")
  }

  @Test func `The beginning of a key without a rest is data after a moment`() throws {
    let bench = try Bench(isTerminal: true)
    try bench.type("\u{1B}[1;5")
    #expect(bench.sent == "")
    bench.clock.advance(by: .milliseconds(50))
    try bench.turn()
    #expect(bench.sent == "\u{1B}[1;5")
    try bench.type("\u{1B}[")
    bench.close()
    try bench.turn()
    #expect(bench.sent == "\u{1B}[1;5\u{1B}[")
    #expect(bench.ends.count == 1)
  }

  @Test func `The end of an empty input is not a refusal`() throws {
    let bench = try Bench(isTerminal: false, isReadOnly: true)
    bench.close()
    try bench.turn()
    #expect(bench.ends.count == 1)
    #expect(bench.refusals.isEmpty)
  }

  @Test func `Escape sequences are found among keys in another form`() throws {
    let bench = try Bench(isTerminal: true)
    bench.pump.escape = .character(UInt8(ascii: "~"))
    try bench.type("\r")
    try bench.type("\u{1B}[27;5;97~")
    try bench.type("~.")
    #expect(bench.escapes.isEmpty, "the line has begun")
    try bench.type("\u{1B}[13u")
    try bench.type("~")
    try bench.type("\u{1B}[96:126;2:3u")
    try bench.type(".")
    #expect(bench.escapes == [.quit])
  }

  @Test func `The device gets a key as the terminal sends it, and a dialog as it is without that`()
    throws
  {
    let bench = try Bench(isTerminal: true)
    try bench.type("\u{1B}[27u\u{1B}[97;5u\u{1B}[116;5u\u{1B}[116;5u")
    #expect(bench.sent == "\u{1B}[27u\u{1B}[97;5u\u{1B}[116;5u")
    var received: [UInt8] = []
    let receiver = Receiver {
      received += $0.prefix(2)
      return min(2, $0.count)
    }
    bench.pump.focus = receiver
    try bench.type(
      "x\u{1B}[27u\u{1B}[97;5u\u{1B}[13;1:1u\u{1B}[13;1:3u\u{1B}[27;2;65~\u{1B}[98;3u\u{1B}[9;2u"
        + "\u{1B}[1092;1u\u{1B}[0;;26085:26412u\u{1B}[57399u\u{1B}[57441;2u\u{1B}[55;5u\u{1B}[A")
    #expect(
      String(decoding: received, as: UTF8.self)
        == "x\u{1B}\u{1}\rA\u{1B}b\u{1B}[Zф日本0\u{1F}\u{1B}[A")
    #expect(bench.commands.isEmpty)
  }

  // MARK: Commands and data

  @Test func `Keys are data, the key after the prefix is a command, and twice the prefix is sent`()
    throws
  {
    let bench = try Bench(isTerminal: true)
    try bench.type("a\u{14}qb\u{14}\u{14}c")
    #expect(bench.commands == [UInt8(ascii: "q")])
    #expect(bench.sent == "ab\u{14}c")
    #expect(bench.typed == Array("ab\u{14}c".utf8))
  }

  // MARK: Escape sequences

  /// A pump with the escape key `~`, and the commands that it has found.
  private func escapeBench(isTerminal: Bool = true) throws -> (Bench, () -> [EscapeParser.Command])
  {
    let bench = try Bench(isTerminal: isTerminal)
    bench.pump.escape = .character(UInt8(ascii: "~"))
    return (bench, { bench.escapes })
  }

  @Test func `The escape character waits for the next key`() throws {
    let (bench, commands) = try escapeBench()
    try bench.type("~")
    #expect(bench.sent.isEmpty && bench.typed.isEmpty)
    try bench.type("x")
    try bench.type("\r")
    try bench.type("~")
    #expect(bench.sent == "~x\r")
    try bench.type("?")
    try bench.type("~")
    try bench.type(".")
    #expect(commands() == [.help, .quit])
    #expect(bench.sent == "~x\r")
  }

  @Test func `A command after the prefix sends the character that waits first`() throws {
    let (bench, commands) = try escapeBench()
    try bench.type("~")
    try bench.type("\u{14}e")
    #expect(bench.sentBefore == "~")
    try bench.type(".")
    try bench.type("~\u{14}\u{14}")
    #expect(bench.sent == "~.~\u{14}")
    #expect(commands().isEmpty)
  }

  @Test func `Escape sequences of a pipe, of a paste, and in a question are data`() throws {
    let (pipe, _) = try escapeBench(isTerminal: false)
    try pipe.type("~.")
    #expect(pipe.sent == "~.")

    let (bench, commands) = try escapeBench()
    try bench.type("~.\r~.\rx")
    #expect(bench.sent == "~.\r~.\rx")
    // The end of a long paste arrives separately.
    let long = String(repeating: "x", count: 2_000)
    try bench.type("\r\(long)\r")
    try bench.type("~.\r")
    #expect(bench.sent.hasSuffix("x\r~.\r"))
    bench.pump.takesEscapes = false
    bench.clock.advance(by: .milliseconds(60))
    try bench.type("~.\r")
    #expect(bench.sent.hasSuffix("x\r~.\r~.\r"))
    #expect(commands().isEmpty)
    // After the paste, escape sequences count again.
    bench.pump.takesEscapes = true
    try bench.type("~.")
    #expect(commands() == [.quit])
  }

  @Test func `A sequence that is typed quickly after other keys counts`() throws {
    let (bench, commands) = try escapeBench()
    try bench.type("exit\r~.")
    #expect(commands() == [.quit])
    try bench.type("reboot\r~")
    #expect(bench.sent == "exit\rreboot\r")
    try bench.type("?")
    try bench.type("~~x~.\n~.\r")
    #expect(commands() == [.quit, .help])
    #expect(bench.sent == "exit\rreboot\r~~x~.\n~.\r")
  }

  @Test func `A paste sends the character that waits first`() throws {
    let (bench, _) = try escapeBench()
    try bench.type("~")
    try bench.type("pasted text")
    #expect(bench.sent == "~pasted text")
  }

  @Test func `Nothing behind the sequence that quits is used, also when nothing can be sent`()
    throws
  {
    let bench = try Bench(isTerminal: true, isReadOnly: true)
    bench.pump.escape = .character(UInt8(ascii: "~"))
    bench.stopsAtCommand = true
    try bench.type("\r~.x")
    #expect(bench.refusedCount == 1)
  }

  @Test func `A pipe has no commands`() throws {
    let bench = try Bench(isTerminal: false)
    try bench.type("a\u{14}qb")
    #expect(bench.commands.isEmpty)
    #expect(bench.sent == "a\u{14}qb")
  }

  @Test func `A command in the middle of a paste comes between its bytes`() throws {
    let bench = try Bench(isTerminal: true)
    try bench.type("before\u{14}safter")
    #expect(bench.sentBefore == "before")
    #expect(bench.sent == "beforeafter")
  }

  @Test func `Nothing behind the command that stops the pump is used`() throws {
    let bench = try Bench(isTerminal: true)
    bench.stopsAtCommand = true
    try bench.type("a\u{14}qb\u{14}x")
    #expect(bench.sent == "a")
  }

  @Test func `The focus takes what it needs, and the device gets the rest`() throws {
    let bench = try Bench(isTerminal: true)
    var taken: [UInt8] = []
    let receiver = Receiver { [unowned bench] bytes in
      taken.append(bytes[0])
      if taken.count == 3 { bench.pump.focus = nil }
      return 1
    }
    bench.pump.focus = receiver
    try bench.type("abcdef")
    #expect(taken == Array("abc".utf8))
    #expect(bench.sent == "def")
  }

  @Test func `Keys that take long are handled turn by turn, in order`() throws {
    let bench = try Bench(isTerminal: true)
    var taken: [UInt8] = []
    let receiver = Receiver { [unowned bench] bytes in
      taken.append(bytes[0])
      // Longer than the time limit of a turn.
      bench.clock.advance(by: .milliseconds(11))
      return 1
    }
    bench.pump.focus = receiver
    try bench.type("abcdef\u{14}qgh")
    #expect(taken.count < 8)
    for _ in 0..<10 { try bench.turn() }
    #expect(taken == Array("abcdefgh".utf8))
    #expect(bench.commands == [UInt8(ascii: "q")])
    #expect(bench.sent.isEmpty)
  }

  // MARK: Room

  @Test func `A pipe waits for a device that takes nothing, and loses nothing`() throws {
    let bench = try Bench(isTerminal: false)
    bench.link.appetite = 0
    let bytes = Self.numbers(400_000)
    var poured = try bench.pour(bytes)
    #expect(poured < 200_000)
    #expect(bench.pump.unreadCount > 0)
    #expect(bench.pump.unreadCount + bench.session.queuedByteCount == poured)
    while poured < bytes.count {
      try bench.accept(50_000)
      poured += try bench.pour(Array(bytes[poured...]))
    }
    try bench.accept()
    #expect(difference(bench.link.sent, from: bytes) == nil)
    #expect(bench.refusedCount == 0 && bench.pump.unreadCount == 0)
  }

  @Test func `The key that quits is found behind a paste that the device does not take`() throws {
    let bench = try Bench(isTerminal: true)
    bench.link.appetite = 0
    let bytes = Self.numbers(500_000)
    var poured = try bench.pour(bytes)
    #expect(poured < bytes.count)
    // By now the device counts as slow.
    bench.clock.advance(by: .milliseconds(250))
    try bench.turn()
    poured += try bench.pour(Array(bytes[poured...]))
    #expect(poured == bytes.count)
    try bench.type("\u{14}q")
    #expect(bench.commands == [UInt8(ascii: "q")])
    #expect(bench.refusedCount == 0)
    try bench.accept()
    #expect(difference(bench.link.sent, from: bytes) == nil)
  }

  @Test func `A device that takes bytes in time is waited for`() throws {
    let bench = try Bench(isTerminal: true)
    bench.link.appetite = 0
    let bytes = Self.numbers(400_000)
    var poured = try bench.pour(bytes)
    for _ in 0..<3 {
      try bench.accept(66_000)
      poured += try bench.pour(Array(bytes[poured...]))
      bench.clock.advance(by: .milliseconds(250))
      try bench.turn()
      #expect(bench.session.queuedByteCount <= 65_536)
    }
  }

  @Test func `What a full queue cannot take is refused and counted, and the rest is in order`()
    throws
  {
    let bench = try Bench(isTerminal: true, capacity: 200_000)
    bench.link.appetite = 0
    let total = 500_000
    let bytes = Self.numbers(total)
    var poured = try bench.pour(bytes)
    bench.clock.advance(by: .milliseconds(250))
    try bench.turn()
    poured += try bench.pour(Array(bytes[poured...]))
    #expect(poured == total)
    for _ in 0..<10 { try bench.turn() }
    #expect(bench.refusedCount > 0)
    #expect(bench.session.queuedByteCount + bench.refusedCount == total)
    #expect(bench.typed.count + bench.refusedCount == total)
    try bench.accept()
    #expect(difference(bench.link.sent, from: bench.typed) == nil)
  }

  // MARK: No device

  @Test func `Without a device, what is typed is refused, and commands are found`() throws {
    let bench = try Bench(isTerminal: true, isOpen: false)
    try bench.type("abc\u{14}q")
    #expect(bench.refusedCount == 3)
    #expect(bench.commands == [UInt8(ascii: "q")])
  }

  @Test func `Without a device, a pipe is not read`() throws {
    let bench = try Bench(isTerminal: false, isOpen: false)
    try bench.type("abc")
    #expect(bench.refusedCount == 0 && bench.pump.unreadCount == 3)
    try bench.session.open(Bench.endpoint)
    try bench.turn()
    #expect(bench.sent == "abc")
  }

  @Test(arguments: [true, false])
  func `A session that sends nothing refuses all, and counts it`(isTerminal: Bool) throws {
    let bench = try Bench(isTerminal: isTerminal, isReadOnly: true)
    try bench.type("abc")
    #expect(bench.refusedCount == 3 && bench.sent.isEmpty)
    bench.pump.isRefusing = false
    try bench.type("d")
    #expect(bench.sent == "d")
  }

  @Test func `Bytes go to the session that has the focus`() throws {
    let bench = try Bench(isTerminal: true)
    let other = FakeLink(to: .tty("/dev/ttyOTHER"))
    let session = Session(settings: LineSettings()) { _ in other }
    session.owner = .keyboard
    try session.open(.tty("/dev/ttyOTHER"))
    try bench.type("a")
    bench.pump.session = session
    try bench.type("b")
    #expect(bench.sent == "a")
    #expect(other.sent == Array("b".utf8))
  }

  // MARK: What is changed on the way

  @Test func `Enter sends the line ending`() throws {
    let bench = try Bench(isTerminal: true)
    bench.pump.writer.lineEnding = .crlf
    try bench.type("a\rb\n")
    #expect(bench.sent == "a\r\nb\n")
    #expect(bench.typed == Array("a\rb\n".utf8))
  }

  @Test func `A pipe's bytes keep their line ends`() throws {
    let bench = try Bench(isTerminal: false)
    bench.pump.writer.lineEnding = .crlf
    try bench.type("a\rb\n")
    #expect(bench.sent == "a\rb\n")
  }

  @Test func `A byte that may be half of a pair waits a moment, and is sent`() throws {
    let bench = try Bench(isTerminal: true)
    bench.pump.writer.mapList = try MapList(parsing: "to-device:crlf=lf")
    try bench.type("a\r\nb\r")
    #expect(bench.sent == "a\nb")
    bench.clock.advance(by: .milliseconds(50))
    try bench.turn()
    #expect(bench.sent == "a\nb\r")
  }

  @Test func `A byte that may be half of a pair is sent before a command`() throws {
    let bench = try Bench(isTerminal: true)
    bench.pump.writer.mapList = try MapList(parsing: "to-device:crlf=lf")
    try bench.type("a\r\u{14}n")
    #expect(bench.sentBefore == "a\r")
  }

  @Test func `What a program sends is not converted`() throws {
    let bench = try Bench(isTerminal: false)
    bench.pump.writer.encoding = try Encoding("UTF-16LE")
    try bench.type("ab")
    #expect(bench.sent == "ab")
  }

  // MARK: The end

  @Test(arguments: [true, false])
  func `The end of the input is reported once, after all bytes`(isTerminal: Bool) throws {
    let bench = try Bench(isTerminal: isTerminal)
    try bench.type("last")
    bench.close()
    try bench.turn()
    try bench.turn()
    #expect(bench.sent == "last")
    #expect(bench.ends == [nil])
  }

  @Test func `The end of a pipe comes after the bytes that the device takes late`() throws {
    let bench = try Bench(isTerminal: false)
    bench.link.appetite = 0
    let bytes = Self.numbers(100_000)
    #expect(try bench.pour(bytes) == bytes.count)
    bench.close()
    try bench.turn()
    #expect(bench.ends.isEmpty)
    try bench.accept()
    #expect(difference(bench.link.sent, from: bytes) == nil)
    #expect(bench.ends == [nil])
  }
}
