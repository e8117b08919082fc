import TestSupport
import Testing
import Time

@testable import TextStages

/// The texts of several ports in one text: lines are never split, and each names its port.
struct LineMergerTests {
  /// A merger of ports a, b and c, the first of which has the focus, with a clock in milliseconds.
  private struct Bench {
    var merger: LineMerger
    var now: UInt64 = 0
    var output: [UInt8] = []

    init(
      canErase: Bool = false, hasColours: Bool = false,
      stamper: LineStamper? = nil
    ) {
      merger = LineMerger(
        .init(lineEnd: "\n", hasColours: hasColours, canErase: canErase),
        stamper: stamper)
      merger.label(["a", "b", "c"])
    }

    mutating func add(_ text: String, _ port: Int) {
      let moment = Moment(wallClock: now, monotonic: now)
      Array(text.utf8).withUnsafeBytes { merger.add($0, from: port, at: moment, into: &output) }
    }

    mutating func wait(_ milliseconds: UInt64) {
      let end = now + milliseconds * 1_000_000
      while let due = merger.deadline, due <= end {
        now = due
        merger.tick(at: now, into: &output)
      }
      now = end
    }

    /// What was written since the last call.
    mutating func text() -> String {
      defer { output = [] }
      return String(decoding: output, as: UTF8.self)
    }
  }

  private var bench = Bench()

  @Test mutating func `Lines are whole, however the reads cut them`() {
    bench.add("one", 0)
    bench.add("first ", 1)
    bench.add(" and a half\ntwo\n", 0)
    bench.add("line\r\n", 1)
    #expect(bench.text() == "a | one and a half\na | two\nb | first line\n")
  }

  @Test mutating func `Without colours, any bytes are a text`() {
    // What a pipe gets was not filtered: this is no sequence of colours.
    bench.add("\u{1B}\u{1F}!m\n\u{1B}[", 0)
    bench.add("x m\n", 0)
    #expect(bench.text() == "a | \u{1B}\u{1F}!m\na | \u{1B}[x m\n")
  }

  @Test mutating func `Labels have the same width`() {
    bench.merger.label(["ttyUSB0", "b"])
    bench.add("x\n", 1)
    bench.add("y\n", 0)
    #expect(bench.text() == "b       | x\nttyUSB0 | y\n")
  }

  @Test mutating func `A part of a line is shown after a pause, and goes on in its row`() {
    bench.add("login: ", 1)
    #expect(bench.text() == "")
    bench.wait(99)
    #expect(bench.text() == "")
    bench.wait(1)
    #expect(bench.text() == "b | login: ")
    bench.add("root\r\n", 1)
    #expect(bench.text() == "root\n")
    #expect(bench.merger.deadline == nil)
  }

  @Test mutating func `The focused port's part is shown soon, and then at once`() {
    bench.add("> ", 0)
    bench.wait(20)
    #expect(bench.text() == "a | > ")
    bench.add("h", 0)
    bench.add("i", 0)
    #expect(bench.text() == "hi")
  }

  @Test mutating func `A silent port shows its part before another speaks`() {
    bench.add("part", 1)
    bench.wait(500)
    bench.add("line\n", 2)
    bench.add(" and rest\n", 1)
    #expect(bench.text() == "b | part\nc | line\nb |  and rest\n")
  }

  @Test mutating func `The end of a line that was cut is no row`() {
    bench.add("part", 1)
    bench.wait(500)
    bench.add("line\n", 2)
    bench.add("\n\nnext\n", 1)
    #expect(bench.text() == "b | part\nc | line\nb | \nb | next\n")
  }

  @Test mutating func `Two silent ports show their parts in the order of reading`() {
    bench.add("part of c", 2)
    bench.wait(10)
    bench.add("part of b", 1)
    bench.wait(10)
    // These parts have not been shown when the next line arrives late.
    bench.now += 1_000_000_000
    bench.add("line\n", 0)
    #expect(bench.text() == "c | part of c\nb | part of b\na | line\n")
  }

  @Test mutating func `A port in the middle of a line does not cut another's`() {
    bench.add("one ", 1)
    bench.wait(50)
    bench.add("other\n", 2)
    bench.add("line\n", 1)
    #expect(bench.text() == "c | other\nb | one line\n")
  }

  @Test mutating func `The prompt of the focused port comes back below the lines of others`() {
    bench = Bench(canErase: true)
    bench.add("> he", 0)
    bench.wait(20)
    bench.add("noise\nmore\n", 1)
    bench.add("llo", 0)
    #expect(bench.text() == "a | > he\r\u{1B}[Kb | noise\nb | more\na | > hello")
  }

  @Test mutating func `A prompt that is longer than the screen is not erased`() {
    bench = Bench(canErase: true)
    bench.merger.columns = 10
    bench.add("> a long line", 0)
    bench.wait(20)
    bench.add("noise\n", 1)
    bench.add("!\n", 0)
    #expect(bench.text() == "a | > a long line\nb | noise\na | !\n")
  }

  @Test mutating func `The focus moves to the port whose prompt is hidden`() {
    bench = Bench(canErase: true)
    bench.add("a> ", 0)
    bench.wait(20)
    bench.merger.focus = 1
    bench.add("b> ", 1)
    bench.wait(20)
    #expect(bench.text() == "a | a> \nb | b> ")
    bench.add("line\n", 0)
    #expect(bench.text() == "\r\u{1B}[Ka | line\nb | b> ")
  }

  @Test mutating func `A prompt that was cut is shown again when its port gets the focus`() {
    bench = Bench(canErase: true)
    bench.add("b> ", 1)
    bench.wait(200)
    bench.add("line\n", 2)
    #expect(bench.text() == "b | b> \nc | line\n")
    bench.merger.focus = 1
    bench.wait(0)
    #expect(bench.text() == "b | b> ")
    bench.add("ok\n", 1)
    bench.merger.focus = 0
    bench.merger.focus = 1
    bench.wait(100)
    // The line is now complete.
    #expect(bench.text() == "ok\n")
  }

  @Test mutating func `Colours stay with their port`() {
    bench = Bench(hasColours: true)
    bench.add("\u{1B}[1mred\nstill\u{1B}[0m plain\n", 0)
    bench.add("x\n", 1)
    #expect(
      bench.text()
        == "\u{1B}[36ma |\u{1B}[0m \u{1B}[1mred\u{1B}[0m\n"
        + "\u{1B}[36ma |\u{1B}[0m \u{1B}[1mstill\u{1B}[0m plain\n\u{1B}[33mb |\u{1B}[0m x\n")
  }

  @Test mutating func `A row that goes on has its colours again`() {
    bench = Bench(hasColours: true)
    bench.add("\u{1B}[32m$ ", 0)
    bench.wait(20)
    _ = bench.text()
    bench.add("x", 0)
    #expect(bench.text() == "\u{1B}[32mx\u{1B}[0m")
  }

  @Test mutating func `A lone carriage return does not overwrite the label`() {
    bench.add("10 %\r20 %\r\n", 0)
    #expect(bench.text() == "a | 10 %\ra | 20 %\n")
  }

  @Test mutating func `A message ends the open row, and the prompt comes back`() {
    bench = Bench(canErase: true)
    bench.add("> ", 0)
    bench.wait(20)
    bench.merger.cursorDidMove()
    bench.wait(20)
    #expect(bench.text() == "a | > a | > ")
  }

  @Test mutating func `A line without an end is cut at the limit`() {
    bench.add(String(repeating: "x", count: LineMerger.limit + 1), 1)
    #expect(bench.text() == "b | " + String(repeating: "x", count: LineMerger.limit + 1) + "\n")
  }

  @Test mutating func `Each row has the time of its first byte`() {
    bench = Bench(
      stamper: LineStamper(
        TimestampFormat(.start), start: Moment(wallClock: 0, monotonic: 0),
        calendar: { _ in fatalError("this format needs no calendar") }))
    bench.add("first ", 1)
    bench.wait(50)
    bench.add("x\n\ny\n", 2)
    bench.wait(20)
    bench.add("line\nprompt> ", 1)
    bench.wait(200)
    bench.add("z\n", 2)
    bench.add("typed\n", 1)
    #expect(
      bench.text() == """
        [    0.050] c | x
        [    0.050] c |\u{20}
        [    0.050] c | y
        [    0.000] b | first line
        [    0.070] b | prompt>\u{20}
        [    0.270] c | z
        [    0.270] b | typed

        """)
  }

  @Test mutating func `A row that goes on after a CR is begun again`() {
    bench.add("50%\r", 0)
    bench.wait(100)
    bench.add("75%\n", 0)
    #expect(bench.text() == "a | 50%\ra | 75%\n")
  }

  @Test mutating func `Without a focus, the pause is the same for all`() {
    bench.merger.focus = nil
    bench.add("a", 0)
    bench.wait(99)
    #expect(bench.text() == "")
    #expect(bench.merger.isHolding(0))
    bench.wait(1)
    #expect(bench.text() == "a | a")
    #expect(!bench.merger.isHolding(0))
    bench.merger.endOpenRow(into: &bench.output)
    bench.add("b\n", 0)
    #expect(bench.text() == "\na | b\n")
  }

  @Test mutating func `At the end nothing is left`() {
    bench.add("of b", 1)
    bench.add("of a", 0)
    bench.merger.finish(into: &bench.output)
    #expect(bench.text() == "a | of a\nb | of b\n")
  }

  /// For any bytes in any pieces: without the labels, the text of each port is what it sent.
  @Test(arguments: 0..<200) mutating func `Nothing is lost or added`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var sent = ["", "", ""]
    for _ in 0..<60 {
      let port = Int.random(in: 0..<3, using: &random)
      let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        ["x", "y", "\n", " "].randomElement(using: &random)!
      }.joined()
      sent[port] += text
      bench.add(text, port)
      bench.wait(UInt64.random(in: 0...150, using: &random))
    }
    bench.merger.finish(into: &bench.output)
    var shown = ["", "", ""]
    for line in bench.text().split(separator: "\n") {
      shown[Int(line.utf8.first! - UInt8(ascii: "a"))] += line.dropFirst(4)
    }
    // Split lines have more line ends than were sent.
    #expect(shown == sent.map { $0.replacing("\n", with: "") })
  }

  @Test func `A port that speaks at the end of time is waited for`() {
    var merger = LineMerger(LineMerger.Style(lineEnd: "\n", hasColours: false, canErase: false))
    merger.label(["a", "b"])
    var output: [UInt8] = []
    for (port, time) in [(0, UInt64.max), (1, 0), (0, 5), (1, .max)] {
      Array("x".utf8).withUnsafeBytes {
        merger.add($0, from: port, at: Moment(wallClock: time, monotonic: time), into: &output)
      }
      #expect(merger.deadline != nil)
      merger.tick(at: time, into: &output)
    }
    merger.finish(into: &output)
    #expect(String(decoding: output, as: UTF8.self).filter { $0 == "x" }.count == 4)
  }
}
