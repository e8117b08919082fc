import TerminalWidgets
import TestSupport
import Testing
import Time

@testable import TextStages

/// A terminal on which a device and a user write alternately.
private struct Shared {
  var text = ScreenText()
  var screen: ScreenModel
  /// All bytes that reached the screen.
  var output: [UInt8] = []

  init(columns: Int = 40, rows: Int = 20, isStamping: Bool = false, draws: Bool = true) {
    screen = ScreenModel(ScreenSize(rows: rows, columns: columns))
    let stamper = LineStamper(TimestampFormat(.epoch), start: .any) { _ in
      fatalError("seconds since 1970 need no calendar")
    }
    text.setStages(
      device: Pipeline([EscapeFilter()]), stamps: Pipeline(isStamping ? [stamper] : []))
    text.echo = LocalEcho(
      isAtMargin: true, draws: draws, columns: { columns })
  }

  mutating func device(_ text: String) { device(Array(text.utf8)) }

  mutating func device(_ bytes: [UInt8]) {
    show(bytes.withUnsafeBytes { text.receive($0, at: .any) } ?? bytes)
  }

  mutating func user(_ text: String) { user(Array(text.utf8)) }

  mutating func user(_ bytes: [UInt8]) {
    show(bytes.withUnsafeBytes { text.type($0, at: .any) })
  }

  /// A line that the program writes.
  mutating func program(_ line: String) {
    show(Array("\r\n\(line)\r\n".utf8))
    text.cursorDidMove(toMargin: true)
  }

  private mutating func show(_ bytes: [UInt8]) {
    output += bytes
    screen.write(bytes)
  }

  /// The lines down to the cursor's row.
  var lines: [String] { screen.history }
}

@Suite(.timeLimit(.minutes(30))) struct LocalEchoTests {
  @Test func enter_startsANewLine_soThatTheReplyDoesNotOverwriteTheEcho() {
    var shared = Shared()
    shared.user("AT+GMR\r")
    shared.device("OK\r\n")
    #expect(shared.lines == ["AT+GMR", "OK", ""])
  }

  @Test(arguments: ["\r", "\n", "\r\n"])
  func everyEndOfALine_startsOneNewLine(end: String) {
    var shared = Shared()
    shared.user("a\(end)b")
    #expect(shared.lines == ["a", "b"])
  }

  @Test(arguments: ["\u{8}", "\u{7F}"])
  func backspace_erasesACharacter(key: String) {
    var shared = Shared()
    shared.user("AX\(key)T")
    #expect(shared.lines == ["AT"])
    shared.user("\(key)\(key)")
    #expect(shared.lines == [""])
    #expect(shared.screen.place.column == 0)
  }

  @Test func backspace_erasesWideCharactersAndMarks() {
    var shared = Shared()
    shared.user("a世\u{3}\u{1B}\u{9B}é")
    #expect(shared.lines == ["a世^C^[<9b>é"])
    for expected in ["a世^C^[<9b>", "a世^C^[", "a世^C", "a世", "a", "", ""] {
      shared.user("\u{7F}")
      #expect(shared.lines == [expected])
    }
  }

  @Test func backspace_leavesTheDevicesTextAlone() {
    var shared = Shared()
    shared.device("board> ")
    shared.user("x\u{7F}\u{7F}\u{7F}")
    #expect(shared.lines == ["board>"])
    #expect(shared.screen.place.column == 7)
  }

  @Test func backspace_doesNotCrossANewLine() {
    var shared = Shared()
    shared.user("one\r\u{7F}\u{7F}two")
    #expect(shared.lines == ["one", "two"])
    shared.program("message")
    shared.user("\u{7F}three")
    #expect(shared.lines == ["one", "two", "message", "three"])
  }

  @Test func keysThatMoveTheCursor_areShownAsText() {
    var shared = Shared()
    shared.user("ab\u{1B}[D\u{1B}[2J\tc")
    #expect(shared.lines == ["ab^[[D^[[2J     c"])
  }

  @Test func characterOfSeveralBytes_isShownOnceItIsComplete() {
    var shared = Shared()
    for byte in "é€".utf8 { shared.user([byte]) }
    #expect(shared.lines == ["é€"])
    shared.user([0xE2, 0x82, 0x41, 0xFF])
    #expect(shared.lines == ["é€\u{FFFD}A\u{FFFD}"])
  }

  @Test func returnOfTheDevice_doesNotOverwriteTheEcho() {
    var shared = Shared()
    shared.user("AT+G")
    shared.device("\rlog 1\r\n")
    shared.user("MR")
    #expect(shared.lines == ["AT+G", "log 1", "MR"])
  }

  @Test(arguments: ["\u{1B}[K", "\u{1B}[J", "\u{1B}[4Clog", "\tlog", "\u{1B}[0mlog"])
  func returnAndAnEditOfTheLine_doNotOverwriteTheEcho(edit: String) {
    var shared = Shared()
    shared.user("AT+G")
    shared.device("\r\(edit)")
    #expect(shared.lines.first == "AT+G")
    #expect(shared.lines.count == 2)
  }

  @Test(arguments: ["\u{1B}[1Glog", "\u{1B}[2K", "\u{1B}[1K"])
  func sequenceWithinTheLine_doesNotOverwriteTheEcho(sequence: String) {
    var shared = Shared()
    shared.user("AT+G")
    shared.device(sequence)
    #expect(shared.lines.first == "AT+G")
  }

  @Test func echo_doesNotOverwriteTheDevicesLine() {
    var shared = Shared()
    shared.device("50 %\r")
    shared.user("x")
    #expect(shared.lines == ["50 %", "x"])
  }

  @Test func progressOfTheDevice_overwritesItself() {
    var shared = Shared()
    shared.device("\r10 %\r20 %")
    #expect(shared.lines == ["20 %"])
    shared.user("x")
    shared.device("\r30 %\r40 %")
    #expect(shared.lines == ["20 %x", "40 %"])
  }

  @Test func deviceThatEchoesToo_showsDoubledCharacters() {
    var shared = Shared()
    shared.device("$ ")
    for key in "ls" {
      shared.user("\(key)")
      shared.device("\(key)")
    }
    // Both erase. The device erases only its own character.
    shared.user("\u{7F}")
    shared.device("\u{8} \u{8}")
    #expect(shared.lines == ["$ lls"])
    shared.user("s")
    shared.device("s")
    shared.user("\r")
    shared.device("\r\nfile\r\n$ ")
    #expect(shared.lines == ["$ llsss", "", "file", "$"])
  }

  @Test func backspaceOfTheDevice_stopsAtTheEcho() {
    var shared = Shared()
    shared.device("> ")
    shared.user("abc")
    shared.device("\u{8}\u{8}\u{8}\u{8}\u{8}x\u{1B}[9Dy\u{8}\u{8}z")
    #expect(shared.lines == ["> abcz"])
  }

  @Test func deviceThatDrawsTheScreen_isLeftAlone() {
    var shared = Shared()
    shared.user("abc")
    let before = shared.output.count
    let drawing = "\u{1B}[2J\u{1B}[3;4Hx\u{1B}[1Dy\rz"
    shared.device(drawing)
    #expect(Array(shared.output[before...]) == Array(drawing.utf8))
  }

  @Test func withoutEcho_theDevicesBytesAreUnchanged() {
    var shared = Shared()
    let bytes = "a\rb\u{8}c\td\r\n\u{1B}[2Dx\u{1B}[Ky\n\rz\r"
    shared.device(bytes)
    #expect(shared.output == Array(bytes.utf8))
  }

  @Test func timestamps_standInFrontOfEveryLine() {
    var shared = Shared(isStamping: true)
    shared.user("AT\r")
    shared.device("OK\r\n> ")
    shared.user("AB\u{7F}\u{7F}\u{7F}C\r\r")
    shared.user("D")
    shared.device("\rlog\r\n")
    #expect(
      shared.lines == [
        "[0.000] AT", "[0.000] OK", "[0.000] > C", "[0.000]", "[0.000] D", "[0.000] log", "",
      ])
  }

  @Test func messageOfTheProgram_isFollowedByAStamp() {
    var shared = Shared(isStamping: true)
    shared.user("AT")
    shared.program("message")
    shared.user("+\r")
    #expect(shared.lines == ["[0.000] AT", "message", "[0.000] +", ""])
  }

  @Test func numbers_showTheSentBytes_andEnterEndsTheRow() {
    var shared = Shared(columns: 80)
    shared.text.rows = HexDump(marksDirection: true)
    var shown = ""
    func send(_ typed: String, as sent: String) {
      let row = Array(sent.utf8).withUnsafeBytes { shared.text.send($0, at: .any) }
      let rest = Array(typed.utf8).withUnsafeBytes { shared.text.type($0, at: .any) }
      shown += String(decoding: row + rest, as: UTF8.self)
    }
    send("A", as: "A")
    #expect(shown == "")
    send("\r", as: "\r\n")
    #expect(shown.hasPrefix("> 00000000  41 0d 0a "))
    #expect(shown.hasSuffix("|A..|\r\n"))
  }

  // MARK: The edge of the screen

  @Test func backspace_erasesAcrossTheEdgeOfTheScreen() {
    for columns in 2...7 {
      for prompt in 0...9 {
        var shared = Shared(columns: columns)
        shared.device(String(repeating: ">", count: prompt))
        let before = (shared.screen.grid, shared.screen.place.row, shared.screen.place.column)
        let typed = "ab世\u{3}d\u{1B}efé世世"
        shared.user(typed)
        shared.user(String(repeating: "\u{7F}", count: typed.unicodeScalars.count + 3))
        #expect(shared.screen.grid == before.0)
        // A cursor that was after the last column has moved to the next row.
        if !shared.screen.place.wrapIsPending, prompt % columns != 0 {
          #expect(shared.screen.place.row == before.1)
          #expect(shared.screen.place.column == before.2)
        }
        shared.user("Z")
        #expect(shared.lines.joined() == String(repeating: ">", count: prompt) + "Z")
      }
    }
  }

  @Test func longLine_isShownWhole() {
    var shared = Shared(columns: 10)
    shared.device("> ")
    shared.user(String(repeating: "0123456789", count: 3))
    #expect(shared.lines == ["> 01234567", "8901234567", "8901234567", "89"])
    shared.user("\r")
    #expect(shared.lines.last == "")
  }

  @Test func terminalThatOnlyPrints_getsNoSequences() {
    var shared = Shared(columns: 5, draws: false)
    shared.user("abcdefgh\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}x\r")
    shared.device("y\r\n")
    #expect(!shared.output.contains(0x1B))
  }

  // MARK: Anything

  /// The text of each side in a step: capitals by the user, small letters by the device.
  @Test func randomTurns_loseNothing() {
    var numbers = SplitMix64(seed: 15)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
    let deviceText = [
      "a", "bc", "\r\n", "\r\nd", "e\r\n", "\u{1B}[1m", "\u{1B}[K", "\u{7}", "g\rh",
    ]
    for _ in 0..<2_000 {
      var shared = Shared(columns: number(3...12), rows: 200, isStamping: number(0...3) == 0)
      var typed = 0
      for _ in 0..<number(1...30) {
        switch number(0...9) {
        case 0...4:
          shared.user("A")
          typed += 1
        case 5: shared.user("\r")
        case 6: shared.program("0")
        case 7: shared.device(["\u{8}", "\u{8} \u{8}", "\u{1B}[3D", "\r", "\rx"][number(0...4)])
        default: shared.device(deviceText[number(0...deviceText.count - 1)])
        }
      }
      let shown = shared.lines.joined()
      #expect(shown.count { $0 == "A" } == typed, "\(shared.output)")
    }
  }

  @Test func everyCut_showsTheSame() {
    let bytes = Array("ab\r\ncd\rlog\r\n\u{1B}[2Kx\u{8}\u{8}\u{8}é世\r\u{1B}[Ky".utf8)
    for prefix in ["", "E"] {
      var whole = Shared()
      whole.user(prefix)
      whole.device(bytes)
      for pieces in cuts(of: bytes) {
        var shared = Shared()
        shared.user(prefix)
        for piece in pieces { shared.device(Array(piece)) }
        #expect(shared.output == whole.output)
      }
    }
  }
}
