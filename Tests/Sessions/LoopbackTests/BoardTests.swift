import Testing
import Time

@testable import Loopback

/// A board with a simulated clock.
private struct Bench {
  var board = Board()
  var now = MonotonicTime(nanoseconds: 5_000_000_000)
  var output: DeviceOutput

  init(outputCapacity: Int = 65_536) {
    output = DeviceOutput(capacity: outputCapacity)
    board.start(at: now, output: &output)
  }

  /// A board whose banner has been read.
  static var booted: Bench {
    var bench = Bench()
    _ = bench.heard()
    return bench
  }

  /// Types a text, and returns the board's immediate output.
  mutating func type(_ text: String) -> String {
    #expect(deliver(text) == text.utf8.count)
    return heard()
  }

  /// Passes a text to the board, and returns the number of accepted bytes.
  mutating func deliver(_ text: String) -> Int {
    board.advance(to: now, output: &output)
    return board.receive(Array(text.utf8).span, at: now, output: &output)
  }

  /// Lets time pass, and returns the board's output meanwhile.
  mutating func wait(_ duration: Duration) -> String {
    now = now + duration
    board.advance(to: now, output: &output)
    return heard()
  }

  mutating func heard() -> String {
    let text = String(decoding: output.bytes, as: UTF8.self)
    output = DeviceOutput(capacity: output.capacity)
    return text
  }

  /// The answer to a command, without its echo and the prompt after it.
  mutating func answer(to command: String, sourceLocation: SourceLocation = #_sourceLocation)
    -> String
  {
    let text = type(command + "\r")
    let (echo, prompt) = (command + "\r\n", "board> ")
    #expect(text.hasPrefix(echo) && text.hasSuffix(prompt), sourceLocation: sourceLocation)
    return String(text.dropFirst(echo.count).dropLast(prompt.count))
  }
}

@Suite(.timeLimit(.minutes(30))) struct BoardTests {
  private var bench = Bench.booted

  // MARK: Boot

  @Test func banner_tellsNameVersionAndReason_andEndsAtThePrompt() {
    var bench = Bench()
    let banner = bench.heard()
    #expect(banner.hasPrefix("\r\nserialterm board, firmware "))
    #expect(banner.contains("\r\nreset reason: power-on\r\n"))
    #expect(banner.hasSuffix("\r\n\r\nboard> "))
    #expect(!banner.replacing("\r\n", with: "").contains { $0 == "\r" || $0 == "\n" })
    #expect(bench.board.nextDeadline == nil)
  }

  @Test mutating func reboot_saysSo_andBringsTheBannerAfterAWhile_asNew() {
    _ = bench.type("led on\r")
    _ = bench.wait(.seconds(100))
    #expect(bench.type("reboot\r\n") == "reboot\r\nrebooting\r\n")
    #expect(bench.board.nextDeadline == bench.now + Board.rebootTime)
    #expect(bench.type("typed in vain\r") == "")
    #expect(bench.wait(.milliseconds(299)) == "")
    let banner = bench.wait(.milliseconds(1))
    #expect(banner.contains("reset reason: software"))
    #expect(banner.hasSuffix("board> "))
    #expect(bench.board.nextDeadline == nil)
    #expect(bench.answer(to: "led") == "led is off\r\n")
    #expect(bench.answer(to: "uptime") == "up 00:00:00\r\n")
  }

  // MARK: Commands

  @Test mutating func help_listsEveryCommand_aLineEach() {
    let lines = bench.answer(to: "help").split(separator: "\r\n")
    #expect(lines.count == BoardCommand.Name.allCases.count)
    for (line, name) in zip(lines, BoardCommand.Name.allCases) {
      #expect(line.hasPrefix(name.usage + " ") && line.hasSuffix(" " + name.summary))
    }
  }

  @Test mutating func echo_saysTheTextAsItWasTyped() {
    #expect(bench.answer(to: "echo  Grüße, 世界 ") == " Grüße, 世界 \r\n")
    #expect(bench.answer(to: "echo") == "\r\n")
  }

  @Test mutating func uptime_countsFromTheStart() {
    #expect(bench.answer(to: "uptime") == "up 00:00:00\r\n")
    _ = bench.wait(.milliseconds(61_999))
    #expect(bench.answer(to: "uptime") == "up 00:01:01\r\n")
    _ = bench.wait(.seconds(100 * 3_600))
    #expect(bench.answer(to: "uptime") == "up 100:01:01\r\n")
  }

  @Test mutating func led_isSwitched_andTells() {
    #expect(bench.answer(to: "led") == "led is off\r\n")
    #expect(bench.answer(to: "led on") == "led is on\r\n")
    #expect(bench.answer(to: "led") == "led is on\r\n")
    #expect(bench.answer(to: "led off") == "led is off\r\n")
  }

  @Test mutating func temp_isASlowWave() {
    let heard = (0..<5).map { _ in
      let answer = bench.answer(to: "temp")
      _ = bench.wait(.seconds(15))
      return answer
    }
    #expect(heard == ["25.0 C\r\n", "27.0 C\r\n", "25.0 C\r\n", "23.0 C\r\n", "25.0 C\r\n"])
  }

  @Test mutating func version_tellsTheFirmware() {
    #expect(bench.answer(to: "version") == "\(Board.version)\r\n")
  }

  @Test mutating func unknownCommand_isNamed_withAWayOut() {
    #expect(bench.answer(to: "frob 1") == "unknown command 'frob'; try help\r\n")
  }

  @Test mutating func blankLine_bringsThePromptAgain() {
    #expect(bench.answer(to: "") == "")
    #expect(bench.answer(to: "  ") == "")
  }

  @Test mutating func controlC_abandonsTheLine_andBringsThePromptAgain() {
    #expect(bench.type("rebo\u{3}") == "rebo^C\r\nboard> ")
    #expect(bench.answer(to: "led") == "led is off\r\n")
  }

  // MARK: Streams

  @Test mutating func stream_saysEachLineWhenItIsDue_thenThePrompt() {
    #expect(bench.type("stream 4 10\r") == "stream 4 10\r\n")
    #expect(bench.board.nextDeadline == bench.now)
    #expect(bench.wait(.zero) == "0,0.000\r\n")
    #expect(bench.board.nextDeadline == bench.now + .milliseconds(100))
    #expect(bench.wait(.nanoseconds(99_999_999)) == "")
    #expect(bench.wait(.nanoseconds(1)) == "1,0.125\r\n")
    #expect(bench.wait(.milliseconds(200)) == "2,0.249\r\n3,0.368\r\nboard> ")
    #expect(bench.board.nextDeadline == nil)
  }

  @Test mutating func stream_keepsItsRate_whateverTheWakeups() {
    _ = bench.type("stream 1000000 3\r")
    var lines = 0
    for _ in 0..<1_000 { lines += bench.wait(.milliseconds(7)).split(separator: "\r\n").count }
    // 7 s at 3 Hz, and one at the beginning.
    #expect(lines == 22)
  }

  @Test mutating func stream_ofOneLine_endsWithOnePrompt() {
    _ = bench.type("stream 1 1\r")
    #expect(bench.wait(.zero) == "0,0.000\r\nboard> ")
    #expect(bench.wait(.seconds(5)) == "")
  }

  @Test mutating func sensor_saysEachReadingWhenItIsDue_thenThePrompt() {
    #expect(bench.type("sensor 200 10\r") == "sensor 200 10\r\n")
    #expect(bench.wait(.zero) == SensorReading(0).text)
    #expect(bench.wait(.milliseconds(99)) == "")
    let rest = bench.wait(.seconds(20))
    #expect(rest.hasPrefix(SensorReading(1).text))
    #expect(rest.hasSuffix(SensorReading(199).text + "board> "))
    #expect(rest.contains("\r\n# wifi: reconnected\r\ntemp:"))
  }

  @Test mutating func controlC_stopsAStream_andForgetsTheTypedText() {
    _ = bench.type("stream 100 10\r")
    _ = bench.wait(.milliseconds(150))
    #expect(bench.type("led on\r\u{3}") == "^C\r\nboard> ")
    #expect(bench.wait(.seconds(60)) == "")
    #expect(bench.board.nextDeadline == nil)
    #expect(bench.answer(to: "led") == "led is off\r\n")
  }

  @Test mutating func keysTypedDuringAStream_areHandledAfterIt() {
    _ = bench.type("stream 2 10\r\n")
    _ = bench.wait(.zero)
    #expect(bench.type("led on\r\nstream 1 1\r\nled\r\n") == "")
    #expect(
      bench.wait(.milliseconds(100))
        == "1,0.125\r\nboard> led on\r\nled is on\r\nboard> stream 1 1\r\n")
    #expect(bench.wait(.zero) == "0,0.000\r\nboard> led\r\nled is on\r\nboard> ")
  }

  @Test mutating func keysTypedDuringAStream_areBounded_andControlCStillWorks() {
    _ = bench.type("stream 2 10\r")
    _ = bench.wait(.zero)
    _ = bench.type("echo " + String(repeating: "x", count: 5_000))
    let heard = bench.wait(.milliseconds(100))
    let echoed = heard.split(separator: "board> ")[1].filter { $0 != "\u{7}" }
    #expect(echoed == "echo " + String(repeating: "x", count: BoardLineEditor.capacity - 5))
    // The line, and a bell for each further byte that was kept.
    #expect(
      heard.filter { $0 == "\u{7}" }.count == Board.typeAheadCapacity - BoardLineEditor.capacity)
    #expect(bench.type("\u{3}") == "^C\r\nboard> ")
  }

  // MARK: A line that takes nothing

  @Test func stream_pauses_whileItsOutputIsNotRead_andLosesNothing() {
    var bench = Bench(outputCapacity: 1_000)
    _ = bench.heard()
    _ = bench.type("stream 1000 1000\r")
    bench.now = bench.now + .seconds(3_600)
    for _ in 0..<10 { bench.board.advance(to: bench.now, output: &bench.output) }
    let longestLine = "999,-0.125\r\n".utf8.count
    #expect((1_000..<1_000 + longestLine).contains(bench.output.bytes.count))
    var text = ""
    for _ in 0..<1_000 where bench.board.nextDeadline != nil {
      text += bench.heard()
      bench.board.advance(to: bench.now, output: &bench.output)
    }
    let lines = (text + bench.heard()).split(separator: "\r\n")
    #expect(lines.count == 1_001)
    #expect(lines.last == "board> ")
    #expect(lines.dropLast().enumerated().allSatisfy { $1.hasPrefix("\($0),") })
  }

  @Test func board_takesNoMoreInput_whileItsOutputIsFull() {
    var bench = Bench(outputCapacity: 400)
    _ = bench.heard()
    let commands = String(repeating: "help\r", count: 50)
    let longestAnswer = 800
    var (delivered, answers) = (0, "")
    while delivered < commands.utf8.count {
      let count = bench.deliver(String(commands.dropFirst(delivered)))
      #expect(count > 0)
      #expect(bench.output.bytes.count < bench.output.capacity + longestAnswer)
      delivered += count
      answers += bench.heard()
    }
    #expect(answers.split(separator: "board> ").count == 50)
    #expect(Set(answers.split(separator: "board> ")).count == 1)
  }
}
