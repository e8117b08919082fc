import Testing

@testable import Loopback

/// Types into an editor and records the results.
private struct Typist {
  var editor = BoardLineEditor()
  private(set) var events: [BoardLineEditor.Event] = []
  private(set) var output = DeviceOutput()

  mutating func type(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if let event = editor.receive(byte, echo: &output) { events.append(event) }
    }
  }

  mutating func type(_ text: String) { type(text.utf8) }

  var lines: [String] {
    events.map {
      switch $0 {
      case .line(let line): String(decoding: line, as: UTF8.self)
      case .interrupt: "<interrupt>"
      }
    }
  }

  var echo: String { String(decoding: output.bytes, as: UTF8.self) }
}

@Suite(.timeLimit(.minutes(30))) struct BoardLineEditorTests {
  private static func typed(_ text: String) -> Typist {
    var typist = Typist()
    typist.type(text)
    return typist
  }

  @Test(arguments: [
    ("a\r", ["a"]),
    ("a\n", ["a"]),
    ("a\r\n", ["a"]),
    ("a\r\nb\r\n", ["a", "b"]),
    ("a\rb\r", ["a", "b"]),
    ("a\nb\n", ["a", "b"]),
    ("a\n\n", ["a", ""]),
    ("a\r\r", ["a", ""]),
    ("a\r\n\n", ["a", ""]),
    ("a\n\r", ["a", ""]),
  ])
  func anyEnd_completesTheLine_andBothTogetherOnlyOnce(typed: String, lines: [String]) {
    #expect(Self.typed(typed).lines == lines)
  }

  @Test func typedText_isEchoed_andTheEndIsANewLine() {
    #expect(Self.typed("led on\r").echo == "led on\r\n")
  }

  @Test(arguments: ["\u{8}", "\u{7F}"])
  func rubOut_takesTheLastCharacterBack_onTheScreenToo(key: String) {
    let typist = Self.typed("hex" + key + "lp\r")
    #expect(typist.lines == ["help"])
    #expect(typist.echo == "hex\u{8} \u{8}lp\r\n")
  }

  @Test func rubOut_takesAWholeCharacter_ofSeveralBytes() {
    let typist = Self.typed("é€😀\u{7F}\u{7F}x\r")
    #expect(typist.lines == ["éx"])
    #expect(typist.echo == "é€😀\u{8} \u{8}\u{8} \u{8}x\r\n")
  }

  @Test func rubOut_doesNothing_atTheBeginning() {
    let typist = Self.typed("\u{8}\u{7F}a\r")
    #expect(typist.lines == ["a"])
    #expect(typist.echo == "a\r\n")
  }

  @Test func controlU_rubsOutTheWholeLine() {
    let typist = Self.typed("wrong\u{15}a\r")
    #expect(typist.lines == ["a"])
    #expect(typist.echo == "wrong" + String(repeating: "\u{8} \u{8}", count: 5) + "a\r\n")
  }

  @Test func controlC_abandonsTheLine() {
    let typist = Self.typed("wrong\u{3}a\r")
    #expect(typist.lines == ["<interrupt>", "a"])
    #expect(typist.echo == "wrong^C\r\na\r\n")
  }

  @Test(arguments: [
    "\u{1B}[A", "\u{1B}[1;5C", "\u{1B}OP", "\u{1B}[3~", "\u{1B}b", "\u{1B}\u{1B}[D",
    "\t\u{0}\u{4}\u{1A}",
  ])
  func keysThatMeanNothing_areSwallowed(keys: String) {
    let typist = Self.typed("a" + keys + "b\r")
    #expect(typist.lines == ["ab"])
    #expect(typist.echo == "ab\r\n")
  }

  @Test(arguments: ["\u{1B}", "\u{1B}[", "\u{1B}[1;", "\u{1B}O"])
  func escapeAlone_doesNotEatTheEndOfTheLine(keys: String) {
    #expect(Self.typed("a" + keys + "\r").lines == ["a"])
  }

  @Test func line_isRefusedWithABell_whenItIsFull() {
    let full = String(repeating: "x", count: BoardLineEditor.capacity)
    let typist = Self.typed(full + "yz\r")
    #expect(typist.lines == [full])
    #expect(typist.echo == full + "\u{7}\u{7}\r\n")
  }

  @Test func fullLine_takesMore_whenThereIsRoomAgain() {
    let full = String(repeating: "x", count: BoardLineEditor.capacity)
    #expect(Self.typed(full + "y\u{7F}z\r").lines == [full.dropLast() + "z"])
  }

  @Test func characterOfSeveralBytes_isRefusedWhole_whenPartOfItFits() {
    let almost = String(repeating: "x", count: BoardLineEditor.capacity - 2)
    let typist = Self.typed(almost + "€z\r")
    #expect(typist.lines == [almost + "z"])
    #expect(typist.echo == almost + "\u{7}z\r\n")
  }

  @Test func bytesThatAreNoUTF8_passAsTheyAre() {
    var typist = Typist()
    typist.type([0x61, 0xFF, 0x80, 0xC3, 0x62, 0x0D])
    #expect(typist.events == [.line([0x61, 0xFF, 0x80, 0xC3, 0x62])])
    #expect(typist.output.bytes == [0x61, 0xFF, 0x80, 0xC3, 0x62, 0x0D, 0x0A])
  }
}
