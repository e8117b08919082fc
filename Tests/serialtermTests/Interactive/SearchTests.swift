import EventLoop
import Posix
import Scrollback
import SerialCore
import SystemPackage
import Terminal
import TestSupport
import Testing
import Time

@testable import serialterm

/// Searching the scrollback in a session.
@Suite(.timeLimit(.minutes(30))) struct SearchTests {
  private let bench: InterfaceBench

  init() throws {
    bench = try InterfaceBench()
    try bench.begin()
  }

  /// Runs the loop until a text is on the screen. The search uses the real clock.
  private func wait(for text: String, on bench: InterfaceBench) throws -> Bool {
    try wait(on: bench) { shown(on: bench).contains(text) }
  }

  /// Runs the loop until the screen meets a condition. It is looked at when it has changed.
  private func wait(on bench: InterfaceBench, until isMet: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    var writtenCount = -1
    while true {
      if bench.terminal.written.count != writtenCount {
        writtenCount = bench.terminal.written.count
        if isMet() { return true }
      }
      guard .now < deadline else { return false }
      try bench.app.loop.turn(waitingAtMost: .milliseconds(1))
      try bench.pass(.milliseconds(100))
    }
  }

  private func shown(on bench: InterfaceBench) -> String {
    (bench.terminal.lines + bench.terminal.panel).joined(separator: "\n")
  }

  @Test func `The search lists what the device sent, while it goes on`() throws {
    try bench.receive("boot\r\nerror 17\r\nok\r\n")
    try bench.command("/")
    try bench.type("erro")
    #expect(try wait(for: "1 match", on: bench))
    #expect(bench.terminal.panel.contains { $0.hasPrefix(">") && $0.hasSuffix("error 17") })
    try bench.receive("error 18\r\n")
    #expect(try wait(for: "2 matches", on: bench))
    #expect(bench.terminal.panel.last?.contains("10 bytes came meanwhile") == true)
    // Text that arrived meanwhile is shown when the search is closed.
    try bench.type("\u{7}")
    #expect(bench.terminal.panel.isEmpty)
    #expect(bench.terminal.lines.last == "error 18")
    #expect(bench.sent.isEmpty)
  }

  @Test func `Lines are written to a new file, and appended to one that exists`() throws {
    let folder = try TemporaryFolder()
    let path = folder("found.txt")
    try bench.receive("boot\r\nerror 17\r\nok\r\n")
    for (number, keys) in ["", "\u{1B}[B\r"].enumerated() {
      try bench.command("/")
      try bench.type("erro\r")
      try bench.type("w")
      #expect(try wait(for: "matching lines", on: bench))
      try bench.type("\r")
      #expect(try wait(for: "write to", on: bench))
      try bench.type(path.string)
      try bench.pass(.milliseconds(100))
      try bench.type("\r")
      if number == 1 {
        #expect(try wait(for: "append to it", on: bench))
        try bench.type(keys)
      }
      // The search is open again. Closing it shows the message.
      try bench.type("\u{7}")
      #expect(try waitForMessages(number + 1))
    }
    let text = try String(decoding: path.contents(), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("] error 17") })
  }

  private func waitForMessages(_ count: Int) throws -> Bool {
    try wait(on: bench) { messageCount >= count } && messageCount == count
  }

  private var messageCount: Int {
    bench.terminal.lines.joined().split(separator: "written").count - 1
  }

  @Test func `On a terminal that can only print, the matches are printed`() throws {
    var options = InterfaceBench.Options()
    options.screen = .printing
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.receive("boot\r\nerror 17\r\nok\r\n")
    try bench.command("/")
    #expect(
      bench.terminal.lines.contains(
        "serialterm: search: type a regular expression, then Enter. Enter alone cancels."))
    try bench.type("err\r")
    #expect(try wait(for: "1 match.", on: bench))
    #expect(bench.terminal.lines.contains { $0.hasSuffix("error 17") })
    try bench.command("/")
    try bench.type("(\r")
    #expect(try wait(for: "unmatched '('", on: bench))
  }
}
