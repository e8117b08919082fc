import TerminalWidgets
import Testing
import Time

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct KeyboardParserTests {
  /// A parser of reads, and its items as text: data as it is, everything else in braces.
  private struct Bench {
    var parser = KeyboardParser()
    private(set) var now = MonotonicTime.now
    private(set) var text = ""
    /// The beginning of a key.
    private var rest: [UInt8] = []

    init() {
      parser.prefix = .standard
      parser.escape = .character(UInt8(ascii: "~"))
    }

    mutating func wait(_ time: Duration) { now = now + time }

    /// Parses bytes that were read at once.
    ///
    /// - Parameter limit: the number of bytes of data that are used at once; the rest is put back,
    ///   and parsed from another place in memory.
    mutating func read(_ input: String, using limit: Int = .max) {
      let bytes = rest + Array(input.utf8)
      parser.note(bytes.count, at: now)
      rest = []
      var next: [UInt8]? = bytes
      while let bytes = next { next = bytes.withUnsafeBytes { parse($0, using: limit) } }
    }

    /// - Returns: the bytes that are to be parsed again; nil if there are none.
    private mutating func parse(_ bytes: UnsafeRawBufferPointer, using limit: Int) -> [UInt8]? {
      var input = bytes
      while let item = parser.next(in: &input) {
        switch item {
        case .data(let data):
          #expect(!data.isEmpty)
          text += String(decoding: data.prefix(limit), as: UTF8.self)
          guard data.count > limit else { continue }
          parser.putBack(data.count - limit)
          return data.dropFirst(limit) + Array(input)
        case .held(let byte): text += "(\(Character(Unicode.Scalar(byte))))"
        case .key(let key, _): text += "{key \(String(decoding: key.bytes, as: UTF8.self))}"
        case .command(let key): text += "{\(PrefixKeyParser.name(ofKey: key))}"
        case .otherKey(let key): text += key == .named(.up, []) ? "{up}" : "{\(key)}"
        case .escape(let command): text += "{\(command)}"
        }
      }
      rest = Array(input)
      return nil
    }
  }

  private func parse(_ reads: String..., using limit: Int = .max) -> String {
    var bench = Bench()
    for read in reads { bench.read(read, using: limit) }
    return bench.text
  }

  @Test func `Data, commands and escape sequences are told apart`() {
    #expect(parse("a\u{14}qb") == "a{q}b")
    #expect(parse("\u{14}", "q") == "{q}")
    #expect(parse("~", ".", "~", "?") == "{quit}{help}")
    #expect(parse("a", "~", ".") == "a~.")
    #expect(parse("\u{14}\u{1B}[A") == "{up}")
  }

  @Test func `The beginning of a key is left`() {
    #expect(parse("a\u{1B}[97;5") == "a")
    #expect(parse("a\u{1B}[97;5", "u") == "a{key \u{1}}")
  }

  @Test func `The escape character that waits comes before a key that is no sequence`() {
    #expect(parse("~", "x") == "(~)x")
    #expect(parse("~", "\u{14}q") == "(~){q}")
    #expect(parse("~", "\u{14}", "q") == "(~){q}")
    #expect(parse("~", "\u{14}\u{1B}[A") == "(~){up}")
    #expect(parse("~", "\u{1B}[97;5u", "~", ".") == "(~){key \u{1}}~.")
    #expect(parse("~", "a paste") == "(~)a paste")
  }

  @Test func `The release of the escape character does not end its wait`() {
    #expect(parse("~", "\u{1B}[96:126;2:3u", ".") == "{key }{quit}")
  }

  @Test func `A sequence counts among a few bytes, and at the end of more`() {
    #expect(parse("\r~.x") == "\r{quit}x")
    #expect(parse("exit\r~.") == "exit\r{quit}")
    #expect(parse("exit\r~", ".") == "exit\r{quit}")
    #expect(parse("~.exit") == "~.exit")
  }

  @Test func `A long paste has no sequences, until a moment after it`() {
    let paste = String(repeating: "x", count: 2_000) + "\r"
    var bench = Bench()
    bench.read(paste)
    bench.read("~.\r")
    #expect(bench.text == paste + "~.\r")
    bench.wait(.milliseconds(60))
    bench.read("~.")
    #expect(bench.text == paste + "~.\r{quit}")
  }

  @Test func `Sequences do not count in an answer, and the start of the line stays`() {
    var bench = Bench()
    bench.parser.takesEscapes = false
    bench.read("~.")
    bench.read("x")
    bench.parser.takesEscapes = true
    bench.read("~.")
    #expect(bench.text == "~.x{quit}")
  }

  @Test(arguments: ["a~.b", "a\r~.", "exit\r~.", "\r~~\r~.", "a\u{14}qb", "~", "ab\r~\u{14}?cd"])
  func `Data that is put back is data, and what follows it is searched`(input: String) {
    #expect(parse(input, using: 1) == parse(input))
  }

  @Test func `Another key can be the one`() {
    var bench = Bench()
    bench.parser.escape = .character(UInt8(ascii: "%"))
    bench.parser.prefix = .control(0x01)
    bench.read("~.\r")
    bench.read("%.\u{1}q")
    bench.parser.escape = .none
    bench.parser.prefix = .none
    bench.read("\r%.\u{1}q")
    #expect(bench.text == "~.\r{quit}{q}\r%.\u{1}q")
  }
}
