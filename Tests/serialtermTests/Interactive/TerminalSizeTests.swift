import Glibc
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// Sending the size of the window to the far end.
@Suite(.timeLimit(.minutes(30))) struct TerminalSizeTests {
  private static let pause = SizeFollower.pause

  private func bench(
    following: Bool = false, _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    if following { bench.interface.perform(.followSize, from: .palette) }
    try bench.turn()
    return bench
  }

  private func resize(_ bench: InterfaceBench, _ rows: Int, _ columns: Int) throws {
    bench.terminal.resize(ScreenSize(rows: rows, columns: columns))
    _ = bench.interface.handle(signal: SIGWINCH)
    try bench.turn()
  }

  private func sent(_ bench: InterfaceBench) -> String {
    String(decoding: bench.sent, as: UTF8.self)
  }

  @Test func `The command sends the size without the status line, and what Enter sends`() throws {
    let bench = try bench()
    bench.interface.perform(.terminalSize, from: .palette)
    #expect(sent(bench) == "stty rows 24 cols 80\r")
    bench.interface.model.update {
      $0.showsStatus = true
      $0.lineEnding = .crlf
    }
    // The status line is drawn at most ten times a second.
    try bench.pass(.milliseconds(200))
    bench.interface.perform(.terminalSize, from: .palette)
    #expect(sent(bench) == "stty rows 24 cols 80\rstty rows 23 cols 80\r\n")
    bench.end()
  }

  @Test func `A window that is dragged is sent once, when it is still`() throws {
    let bench = try bench(following: true)
    try bench.pass(Self.pause)
    #expect(sent(bench) == "", "switching it on sends nothing")
    for columns in 81...90 {
      try resize(bench, 30, columns)
      try bench.pass(Self.pause - .milliseconds(1))
    }
    #expect(sent(bench) == "")
    try bench.pass(.milliseconds(1))
    #expect(sent(bench) == "stty rows 30 cols 90\r")
    try resize(bench, 30, 91)
    try resize(bench, 30, 90)
    try bench.pass(Self.pause)
    #expect(sent(bench) == "stty rows 30 cols 90\r", "the same size is not sent again")
    bench.end()
  }

  @Test func `Without following, a new size is not sent`() throws {
    let bench = try bench()
    try resize(bench, 30, 90)
    try bench.pass(.seconds(1))
    #expect(sent(bench) == "")
    bench.end()
  }

  @Test func `A status line takes a row away`() throws {
    let bench = try bench(following: true)
    bench.interface.model.update { $0.showsStatus = true }
    try bench.pass(.milliseconds(200))
    try bench.pass(Self.pause)
    #expect(sent(bench) == "stty rows 23 cols 80\r")
    bench.end()
  }

  @Test func `It waits until a typed line has ended`() throws {
    let bench = try bench(following: true)
    try bench.type("ls -l")
    try resize(bench, 30, 90)
    try bench.pass(.seconds(2))
    #expect(sent(bench) == "ls -l")
    try bench.type("\r")
    try bench.pass(Self.pause)
    #expect(sent(bench) == "ls -l\rstty rows 30 cols 90\r")
    bench.end()
  }

  @Test func `It waits until everything else was sent`() throws {
    let folder = try TemporaryFolder()
    let bench = try bench(following: true) { $0.appetite = 0 }
    let file = try bench.file(of: 10, in: folder, lowest: 0x80)
    try bench.sendFile(file)
    try resize(bench, 30, 90)
    try bench.pass(.seconds(2))
    #expect(bench.sent == [])
    try bench.accept()
    #expect(bench.state.exchange == nil)
    try bench.pass(Self.pause)
    #expect(bench.sent.count == 10 + "stty rows 30 cols 90\r".utf8.count)
    bench.end()
  }

  @Test func `Read-only, without a device and to one that is back, nothing is sent`() throws {
    let readOnly = try bench(following: true)
    readOnly.interface.model.update { $0.isReadOnly = true }
    try resize(readOnly, 30, 90)
    try readOnly.pass(.seconds(1))
    readOnly.interface.perform(.followSize, from: .palette)
    try readOnly.turn()
    #expect(
      String(decoding: readOnly.terminal.written, as: UTF8.self)
        .contains("Not available: read-only."))
    #expect(readOnly.sent == [])
    readOnly.end()
    let lost = try bench(following: true)
    try lost.unplug()
    try resize(lost, 30, 90)
    try lost.pass(.seconds(1))
    try lost.plug()
    #expect(lost.sent == [])
    lost.end()
  }

  @Test func `The port that the user types to gets it`() throws {
    let bench = try bench(following: true) { $0.portCount = 2 }
    try bench.command("N")
    try resize(bench, 30, 90)
    try bench.pass(Self.pause)
    #expect(bench.sent == [], "this port does not follow")
    try bench.command("N")
    try bench.pass(Self.pause)
    #expect(sent(bench) == "stty rows 30 cols 90\r")
    #expect(bench.links[0].sent.count == bench.sent.count)
    bench.end()
  }
}
