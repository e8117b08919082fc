import Posix
import SerialCore
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

/// Marks as a user sees them.
@Suite(.timeLimit(.minutes(30))) struct MarkTests {
  /// The rows below the greeting, without the times of marks.
  private func rows(_ bench: InterfaceBench) -> [String] {
    bench.terminal.lines.dropFirst().map {
      $0.replacing(#/at \d\d:\d\d:\d\d\.\d{3}/#, with: "at TIME")
    }
  }

  @Test func `A mark in the middle of a line is between what came before and after`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    try bench.receive("one\r\ntwo, ")
    try bench.command("M")
    try bench.receive("three\r\n")
    try bench.command("M")
    #expect(
      rows(bench) == [
        "one", "two,", "--- mark 1 at TIME ---", "three", "--- mark 2 at TIME ---",
      ])
  }

  @Test func `A character or a sequence that is not complete stays whole`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    for piece in [[0xC3], [0xA4, 0x1B, 0x5B], [0x31, 0x6D, 0x62]] as [[UInt8]] {
      bench.link?.incoming.append(FakeLink.Input(piece))
      bench.session.handle(.readable)
      try bench.command("M")
    }
    #expect(
      rows(bench) == [
        "--- mark 1 at TIME ---", "ä", "--- mark 2 at TIME ---", "b", "--- mark 3 at TIME ---",
      ])
  }

  @Test func `In the hex view a mark ends the row`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    try bench.command("h")
    try bench.receive("abc")
    try bench.command("M")
    try bench.receive("d")
    try bench.pass(.milliseconds(100))
    let marks = rows(bench).dropFirst()
    #expect(marks.first?.hasPrefix("00000000  61 62 63 ") == true)
    #expect(marks.dropFirst().first == "--- mark 1 at TIME ---")
    bench.end()
    #expect(rows(bench).last?.hasPrefix("00000003  64 ") == true)
  }

  @Test func `With several ports a mark names the one with the focus`() throws {
    var options = InterfaceBench.Options()
    options.portCount = 2
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.receive("half a line")
    try bench.command("M")
    let rows = rows(bench).suffix(2)
    #expect(rows.first?.hasSuffix("| half a line") == true)
    #expect(rows.last == "--- fake:1: mark 1 at TIME ---")
  }

  @Test(arguments: [
    ("raw.log", "a raw log has the device's bytes"), ("table.csv", "a csv log has no marks"),
  ])
  func `The answer names a log that has no marks`(name: String, reason: String) throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.logs = [folder(name).string, folder("text.txt").string]
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.command("M")
    // The screen wraps the answer.
    let text = rows(bench).joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(text.hasPrefix("--- mark 1 at TIME --- serialterm: mark 1 is not in "))
    #expect(text.contains(name))
    #expect(text.contains(reason))
    #expect(!text.contains("text.txt"))
    bench.end()
  }

  @Test func `Without a device, and in a pipe, there are marks too`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    try bench.unplug()
    try bench.command("M")
    #expect(rows(bench).last == "--- mark 1 at TIME ---")

    var options = InterfaceBench.Options()
    options.screen = .none
    let piped = try InterfaceBench(options)
    try piped.begin()
    try piped.receive("data")
    try piped.command("M")
    #expect(piped.terminal.written == Array("data".utf8))
    #expect(piped.terminal.messageText.contains("--- mark 1 at "))
  }

  @Test func `A program gives the text, and gets the number and the time`() throws {
    let bench = try PortBench()
    var outcomes: [CommandOutcome] = []
    for text in [nil, "reset pressed", "two\nlines", String(repeating: "x", count: 4_097)] {
      Command.mark.command.perform(
        CommandCall(from: .json, at: bench.port, argument: text) { outcomes.append($0) })
    }
    let expected = "mark: expected a line of text of at most 4,096 bytes"
    #expect(outcomes[0].message.wholeMatch(of: #/mark 1 at [-\d]+T[:\d]+\.\d{6}Z\./#) != nil)
    #expect(outcomes[1].message.hasPrefix("mark 2 at "))
    #expect(outcomes.dropFirst(2) == [.failed(expected), .failed(expected)])
  }
}
