import EventLoop
import Observing
import SystemPackage
import TerminalWidgets
import TestSupport
import Testing

@testable import Terminal

/// A console with its screen.
@Suite(.timeLimit(.minutes(30))) struct ConsoleTests {
  private final class Bench {
    let loop: IOLoop
    let terminal: FakeTerminal
    let console: Console
    private(set) var roomCount = 0
    private var output: ObservationToken<OutputChannel.Event>?

    init(_ kind: ScreenKind = .drawing, isQuiet: Bool = false) throws {
      loop = try IOLoop()
      terminal = try FakeTerminal(kind)
      console = try Console(terminal.streams, on: loop, isQuiet: isQuiet, isRaw: kind != .none)
      output = console.outputEvents.observe { [unowned self] in if $0 == .room { roomCount += 1 } }
    }

    func show(_ text: String) {
      var text = text
      text.withUTF8 { console.show(UnsafeRawBufferPointer($0)) }
    }

    /// Shows all pending output, and returns the lines.
    var lines: [String] {
      settle()
      return terminal.lines
    }

    var text: String {
      settle()
      return String(decoding: terminal.written, as: UTF8.self)
    }

    func settle() {
      repeat {
        terminal.look()
        for _ in 0..<3 { _ = try? loop.turn(waitingAtMost: .zero) }
      } while !console.isDrained
      terminal.look()
    }
  }

  // MARK: Messages

  @Test func `A message has a line of its own, also in the middle of the device's`() throws {
    let bench = try Bench()
    bench.console.say("first")
    bench.show("login: ")
    bench.console.say("second")
    bench.show("more\r\n")
    bench.console.answer(["two", "lines"])
    #expect(
      bench.lines == [
        "serialterm: first", "login:", "serialterm: second", "more", "serialterm: two", "lines",
      ])
  }

  @Test func `Quiet leaves out what is no failure and no answer`() throws {
    let bench = try Bench(isQuiet: true)
    bench.console.say("news")
    bench.console.warn("failure")
    bench.console.answer(["answer"])
    #expect(bench.lines == ["serialterm: failure", "serialterm: answer"])
  }

  @Test func `A message cannot command the terminal`() throws {
    let bench = try Bench()
    bench.console.say("a\u{1B}[2Jb")
    #expect(!bench.text.contains("\u{1B}"))
  }

  @Test func `A long message is broken at the width of the screen`() throws {
    let bench = try Bench()
    bench.console.say(Array(repeating: "word", count: 30).joined(separator: " "))
    #expect(bench.lines.count == 3)
    #expect(bench.lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `Where the output is a pipe, messages are elsewhere and bytes are unchanged`() throws {
    let bench = try Bench(.none)
    bench.show("a\u{1B}[2J\u{0}")
    bench.console.say("news")
    bench.console.echo("typed")
    bench.console.say("more news")
    #expect(bench.text == "a\u{1B}[2J\u{0}")
    #expect(bench.terminal.messageText == "serialterm: news\ntyped\nserialterm: more news\n")
  }

  @Test func `The echo of an answer stays in its line`() throws {
    let bench = try Bench(.printing)
    bench.console.echo("choose: ")
    bench.console.echo("2")
    bench.console.say("chosen")
    #expect(bench.lines == ["choose: 2", "serialterm: chosen"])
  }

  // MARK: A slow terminal

  @Test func `What a stalled terminal misses is counted, and messages come after it`() throws {
    let bench = try Bench()
    let line = String(repeating: "x", count: 78) + "\r\n"
    let count = 10_000
    for _ in 0..<count { bench.show(line) }
    bench.console.say("message")
    bench.show("lost")
    let text = bench.text
    let notice = try #require(text.firstMatch(of: /\[([\d,]+) bytes not shown\]\r\n/))
    let missing = try #require(Int(notice.1.replacing(",", with: "")))
    let shown = text[..<notice.range.lowerBound].utf8.count - 3
    #expect(shown + missing == count * line.utf8.count + 4)
    #expect(text[notice.range.upperBound...].contains("serialterm: message\r\n"))
    bench.show("back\r\n")
    #expect(bench.lines.last == "back")
  }

  @Test func `A pipe pauses the device, and gets every byte`() throws {
    let bench = try Bench(.none)
    let line = String(repeating: "x", count: 99) + "\n"
    var count = 0
    while !bench.console.isCrowded {
      bench.show(line)
      count += 1
    }
    #expect(bench.roomCount == 0)
    bench.settle()
    #expect(bench.roomCount == 1)
    #expect(!bench.console.isCrowded)
    #expect(bench.terminal.written.count == count * 100)
  }

  @Test func `Clearing empties the screen, and a pipe gets nothing of it`() throws {
    let bench = try Bench()
    bench.show("text")
    bench.console.clear()
    bench.console.say("message")
    #expect(bench.text.contains("\u{1B}[H\u{1B}[2J"))
    #expect(!bench.text.contains("\r\nserialterm"))
    let pipe = try Bench(.none)
    pipe.console.clear()
    #expect(pipe.text.isEmpty)
  }

  // MARK: The end

  @Test func `The end completes the line, once`() throws {
    let bench = try Bench()
    bench.show("prompt> ")
    #expect(bench.console.finish(within: .seconds(60)) == 0)
    #expect(bench.console.finish(within: .seconds(60)) == 0)
    #expect(bench.text.hasSuffix("prompt> \r\n"))
  }

  @Test func `The end says how many bytes a pipe has not taken`() throws {
    let bench = try Bench(.none)
    bench.show(String(repeating: "x", count: 100_000))
    let left = bench.console.finish(within: .zero)
    #expect(left > 0)
    bench.terminal.look()
    #expect(bench.terminal.written.count + left == 100_000)
  }

  @Test func `Without a reader the output is reported as gone, once`() throws {
    let bench = try Bench()
    var errors: [Errno] = []
    let token = bench.console.outputEvents.observe {
      if case .gone(let error) = $0 { errors.append(error) }
    }
    bench.terminal.closeDisplay()
    bench.show("a")
    bench.console.say("b")
    for _ in 0..<3 { try bench.loop.turn(waitingAtMost: .zero) }
    #expect(errors == [.brokenPipe])
    withExtendedLifetime(token) {}
  }
}
