import Encodings
import Telnet
import Testing

@testable import Sessions

struct DeviceScreenTests {
  /// A screen, and what the device has sent.
  private struct Bench {
    let screen = DeviceScreen()
    var history = ReceivedHistory()
    var time: UInt64 = 0
    var terminal: Terminal? {
      didSet { screen.terminal = terminal }
    }

    mutating func receive(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes {
        screen.receive($0, at: time)
        history.add($0, at: 0)
      }
    }

    mutating func receive(_ text: String) { receive(Array(text.utf8)) }

    /// What a person who joins gets: the history before the program, its screen, and its history.
    var past: (before: [UInt8], screen: String, drawn: [UInt8]) {
      var (before, screen, drawn): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
      var isEnded = false
      for message in self.screen.messages(with: history.all) {
        switch message {
        case .history(_, let bytes): if screen.isEmpty { before += bytes } else { drawn += bytes }
        case .screen(let bytes):
          #expect(!isEnded)
          screen += bytes
          isEnded = bytes.isEmpty
        default: Issue.record("\(message)")
        }
      }
      #expect(isEnded == !screen.isEmpty)
      return (before, String(decoding: screen, as: UTF8.self), drawn)
    }
  }

  private final class Terminal: UserTerminalSize {
    var textSize: (rows: Int, columns: Int)

    init(rows: Int, columns: Int) { textSize = (rows, columns) }
  }

  private static let program =
    "\u{1B}[?1049h\u{1B}[H\u{1B}[2J\u{1B}[10;20H\u{1B}[31mthe title\u{1B}[0m"

  @Test func `Of lines, there is no screen`() {
    var bench = Bench()
    for number in 0..<20_000 { bench.receive("\u{1B}[32mline \(number)\u{1B}[0m\r\n") }
    #expect(bench.past.screen.isEmpty)
    #expect(bench.past.before.count == ReceivedHistory.capacity)
  }

  @Test func `A program's screen is there however much it has sent since`() {
    for count in [0, 100, 20_000] {
      var bench = Bench()
      bench.receive("$ vi\r\n")
      bench.receive(Self.program)
      for number in 0..<count { bench.receive("\u{1B}[5;5Hrow \(number)") }
      let past = bench.past
      #expect(past.screen.contains("the title"))
      #expect(count == 0 || past.screen.contains("row \(count - 1)"))
      // The bytes are all there, too.
      #expect(past.before + past.drawn == bench.history.all.flatMap(\.bytes))
      #expect((past.before == Array("$ vi\r\n".utf8)) == (count < 20_000))
    }
  }

  @Test func `A flood of lines before does not matter, nor one after`() {
    var bench = Bench()
    for number in 0..<20_000 { bench.receive("line \(number)\r\n") }
    bench.receive(Self.program)
    #expect(bench.past.screen.contains("the title"))
    bench.receive("\u{1B}[?1049l")
    #expect(bench.past.screen.isEmpty)
    for number in 0..<20_000 { bench.receive("line \(number)\r\n") }
    #expect(bench.past.screen.isEmpty)
    // What the main screen has below the program is drawn with it.
    bench.receive("\u{1B}[5;5Hon lines")
    #expect(bench.past.screen.contains("on lines") && bench.past.screen.contains("line 19999"))
  }

  @Test func `What was dropped unread is not made up`() {
    var bench = Bench()
    for number in 0..<20_000 { bench.receive("line \(number)\r\n") }
    // The rows above are those of lines that are gone.
    for number in 0..<20_000 { bench.receive("\rnumber \(number)") }
    bench.receive("\u{1B}[5;5Hprogram")
    #expect(bench.past.screen.isEmpty)
    bench.receive("\u{1B}[2J\u{1B}[5;5Hprogram")
    #expect(bench.past.screen.contains("program"))
  }

  @Test func `A character set is known, whenever it was chosen`() {
    var bench = Bench()
    bench.receive("\u{1B})0")
    // SO chooses line drawing, SI ASCII.
    for (choice, shown) in [("\u{E}", " ──"), ("\u{F}", " qq")] {
      for number in 0..<60_000 {
        if number == 30_000 { bench.receive(choice) }
        bench.receive("qqqqqqq\r\n")
      }
      bench.receive("\u{1B}[2J\u{1B}[5;5H qq")
      #expect(bench.past.screen.contains(shown))
    }
  }

  @Test func `The screen is text in UTF-8, whatever the device's encoding`() throws {
    var bench = Bench()
    bench.screen.encoding = try Encoding("CP437")
    bench.receive(Self.program)
    bench.receive([0xC9, 0xCD, 0xBB])
    #expect(bench.past.screen.contains("╔═╗"))
  }

  @Test func `It has the size that the device's screen has`() {
    var bench = Bench()
    let terminal = Terminal(rows: 40, columns: 100)
    bench.terminal = terminal
    bench.receive("\u{1B}[?1049h\u{1B}[39;90Hcorner")
    #expect(bench.past.screen.contains("\u{1B}[39;1H"))
    #expect(bench.past.screen.contains("corner"))
    // What was drawn beyond a smaller screen is lost, also when that is large again.
    terminal.textSize.rows = 10
    bench.receive("\u{1B}[39;1Hbeyond")
    #expect(bench.past.screen.isEmpty)
    terminal.textSize.rows = 40
    #expect(bench.past.screen.isEmpty)
    bench.receive("\u{1B}[2J\u{1B}[39;1Hbeyond")
    #expect(bench.past.screen.contains("beyond"))
  }

  @Test func `Lines that a program has written on its screen are not those of before`() {
    var bench = Bench()
    bench.receive("$ top\r\n\u{1B}[?1049h\u{1B}[H\u{1B}[2J")
    for number in 0..<12_000 { bench.receive("line \(number)\r\n") }
    let past = bench.past
    #expect(past.before.isEmpty)
    #expect(past.screen.contains("$ top") && past.screen.contains("line 11999"))
  }

  @Test(arguments: [
    ("", ""), ("one\r\ntwo\r\n", ""), ("$ vi\r\n", "\u{1B}[?1049h\u{1B}[2;2Hx"),
    ("", "\u{1B}[3;3Hx"), ("a\r\n\u{1B}[?1049h\u{1B}[3;3Hx\u{1B}[?1049l\r\nb\r\n", ""),
    ("one\n\u{1B}[3;3Hx\n\n\n\n\n\n\n", "two\u{1B}[2;1Hx\n\u{1B}[3;1Hy"),
    ("one\r\n", "\u{1B}[2;3r\u{1B}[3;1H\r\n\r\n\r\n\r\n\r\nx"),
  ])
  func `What a program draws begins with its line`(before: String, drawn: String) {
    var bench = Bench()
    let terminal = Terminal(rows: 4, columns: 10)
    bench.terminal = terminal
    bench.receive(before + drawn)
    let past = bench.past
    #expect(past.before == Array(before.utf8) && past.drawn == Array(drawn.utf8))
    #expect(past.screen.isEmpty == drawn.isEmpty)
  }

  @Test(arguments: [(499, "late!"), (501, "^[[2Jlate!")])
  func `A pause ends a sequence`(milliseconds: UInt64, shown: String) {
    var bench = Bench()
    bench.receive(Self.program + "\u{1B}[3;1H\u{1B}")
    bench.time += milliseconds * 1_000_000
    bench.receive("[2Jlate!")
    #expect(bench.past.screen.contains(shown))
    #expect(bench.past.screen.contains("the title") == (milliseconds > 500))
  }

  @Test func `A client can ask for the screen again`() {
    var bench = Bench()
    #expect(bench.screen.messages().isEmpty)
    bench.receive("line\r\n" + Self.program)
    let messages = bench.screen.messages()
    #expect(messages.last == .screen([]))
    var screen: [UInt8] = []
    for case .screen(let part) in messages { screen += part }
    let text = String(decoding: screen, as: UTF8.self)
    #expect(text.contains("the title") && text.contains("line"))
  }

  @Test func `A program for a larger screen has none, until it clears the screen`() {
    var bench = Bench()
    for (position, isShown) in [
      ("50;1", false), ("24;81", false), ("24;80", true), ("999;999", true), ("9999;1", true),
    ] {
      bench.receive("\u{1B}[?1049h\u{1B}[2J\u{1B}[\(position)H\u{1B}[2;2Htitle")
      #expect(bench.past.screen.contains("title") == isShown, "\(position)")
    }
  }

  @Test func `A screen that is too large to be sent is not`() {
    var bench = Bench()
    let terminal = Terminal(rows: 200, columns: 400)
    bench.terminal = terminal
    bench.receive("\u{1B}[?1049h")
    for row in 1...200 {
      bench.receive("\u{1B}[\(row);1H")
      for number in 0..<400 { bench.receive("\u{1B}[38;2;1;2;\(number % 256)mx") }
    }
    #expect(bench.past.screen.isEmpty && !bench.past.before.isEmpty)
  }
}
