import Encodings
import EventLoop
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing
import TextStages

@testable import Terminal

/// What is sent for typed bytes, and for texts that are sent as a whole.
@Suite(.timeLimit(.minutes(30))) struct SessionWriterTests {
  private final class Bench: SessionWriterDelegate {
    let clock = TestClock()
    let loop: IOLoop
    let link: FakeLink
    let session: Session
    let writer: SessionWriter
    private(set) var accepted = ""
    private(set) var written: [UInt8] = []
    private(set) var refusals: [Int] = []
    private(set) var refusedCharacters: [UnencodableText] = []
    /// What is written while others write too.
    private(set) var shared: [UInt8] = []
    /// Whether the others let it be written.
    var permitsShared = true

    init(isRefusing: Bool = false, capacity: Int = 65_536) throws {
      loop = try IOLoop(clock: { [clock] in clock.now })
      let endpoint = Endpoint.tty("/dev/ttyTEST")
      let link = FakeLink(to: endpoint)
      self.link = link
      session = Session(settings: LineSettings(), writeCapacity: capacity) { _ in link }
      writer = SessionWriter(to: session, isTerminal: true, isRefusing: isRefusing, on: loop)
      writer.delegate = self
      try session.open(endpoint)
    }

    func writer(_ writer: SessionWriter, writeShared bytes: UnsafeRawBufferPointer) -> Bool {
      if permitsShared { shared += bytes }
      return permitsShared
    }

    func writer(_ writer: SessionWriter, didAccept bytes: UnsafeRawBufferPointer) {
      accepted += String(decoding: bytes, as: UTF8.self)
    }

    func writer(_ writer: SessionWriter, didWrite bytes: UnsafeRawBufferPointer) {
      written += bytes
    }

    func writer(_ writer: SessionWriter, didRefuse character: UnencodableText) {
      refusedCharacters.append(character)
    }

    func writer(_ writer: SessionWriter, didRefuse count: Int) { refusals.append(count) }

    func type(_ text: String) { writer.send(Array(text.utf8)) }

    var sent: String { String(decoding: link.sent, as: UTF8.self) }
  }

  @Test func `Bytes are reported as they were typed and as they are sent`() throws {
    let bench = try Bench()
    bench.writer.lineEnding = .crlf
    bench.type("a\r")
    #expect(bench.sent == "a\r\n")
    #expect(bench.accepted == "a\r")
    #expect(bench.written == Array("a\r\n".utf8))
    #expect(bench.session.owner == .keyboard)
  }

  @Test func `A piece for which there is no room is refused as a whole`() throws {
    let bench = try Bench(capacity: 4)
    bench.link.appetite = 0
    bench.type("abc")
    bench.type("de")
    bench.type("f")
    #expect(bench.refusals == [2])
    #expect(bench.accepted == "abcf")
    #expect(!bench.writer.send(exactly: [1]))
    #expect(bench.refusals == [2], "who sends a text is told by the result")
  }

  @Test func `A session that sends nothing refuses typed bytes and texts`() throws {
    let bench = try Bench(isRefusing: true)
    bench.type("abc")
    #expect(try !bench.writer.send(text: Array("d".utf8)))
    #expect(!bench.writer.send(exactly: []))
    #expect(bench.refusals == [3] && bench.accepted.isEmpty && bench.sent.isEmpty)
  }

  @Test func `While others write too, the delegate writes`() throws {
    let bench = try Bench()
    bench.writer.isShared = true
    bench.writer.lineEnding = .lf
    bench.type("a\r")
    bench.permitsShared = false
    bench.type("b")
    #expect(bench.shared == Array("a\n".utf8) && bench.written == bench.shared)
    #expect(bench.refusals == [1] && bench.sent.isEmpty)
  }

  @Test func `What waits in the map is sent before the map changes, and after a moment`() throws {
    let bench = try Bench()
    let map = try MapList(parsing: "to-device:crlf=lf")
    bench.writer.mapList = map
    bench.type("a\r")
    #expect(bench.sent == "a")
    bench.writer.mapList = MapList()
    #expect(bench.sent == "a\r")
    bench.writer.mapList = map
    bench.type("b\r")
    bench.clock.advance(by: .milliseconds(50))
    try bench.loop.turn(waitingAtMost: .zero)
    #expect(bench.sent == "a\rb\r")
  }

  @Test func `What waits for one device is refused when the keys go to another one`() throws {
    let bench = try Bench()
    bench.writer.mapList = try MapList(parsing: "to-device:crlf=lf")
    bench.type("a\r")
    let other = FakeLink(to: .tty("/dev/ttyOTHER"))
    let session = Session(settings: LineSettings()) { _ in other }
    session.owner = .keyboard
    try session.open(other.endpoint)
    bench.writer.session = session
    bench.clock.advance(by: .milliseconds(50))
    try bench.loop.turn(waitingAtMost: .zero)
    bench.type("b")
    #expect(bench.sent == "a")
    #expect(other.sent == Array("b".utf8))
    #expect(bench.refusals == [1])
  }

  @Test(arguments: [true, false])
  func `What waits is refused if it cannot be sent any more`(isLost: Bool) throws {
    let bench = try Bench()
    bench.writer.mapList = try MapList(parsing: "to-device:crlf=lf")
    bench.type("a\r")
    if isLost { bench.session.handle(.hungUp) } else { bench.writer.isRefusing = true }
    bench.clock.advance(by: .milliseconds(50))
    try bench.loop.turn(waitingAtMost: .zero)
    #expect(bench.sent == "a")
    #expect(bench.refusals == [1])
  }

  @Test func `Typed characters are sent in the encoding, and others are left out`() throws {
    let bench = try Bench()
    bench.writer.encoding = try Encoding("KOI8-R")
    bench.writer.mapList = try MapList(parsing: "to-device:lower=upper")
    for byte in "да й€!".utf8 { bench.writer.send([byte]) }
    #expect(bench.link.sent == [0xC4, 0xC1, 0x20, 0xCA, 0x21])
    #expect(bench.refusedCharacters == [.character("€", bench.writer.encoding)])
  }

  @Test func `A text is sent as a whole, and bytes exactly`() throws {
    let bench = try Bench()
    bench.writer.encoding = try Encoding("CP437")
    #expect(throws: UnencodableText.self) { try bench.writer.send(text: Array("a€".utf8)) }
    #expect(try bench.writer.send(text: Array("é".utf8)))
    #expect(bench.writer.send(exactly: Array("é".utf8)))
    #expect(try bench.writer.send(text: [0xFF]))
    #expect(bench.link.sent == [0x82, 0xC3, 0xA9, 0xFF])
  }

  @Test func `What waits in the map is sent before a text`() throws {
    let bench = try Bench()
    bench.writer.mapList = try MapList(parsing: "to-device:crlf=lf")
    bench.type("a\r")
    #expect(try bench.writer.send(text: Array("b\r\n".utf8)))
    #expect(bench.sent == "a\rb\n")
  }
}
