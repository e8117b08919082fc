import Glibc
import Logs
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// A whole interactive session: the output for the user, and what happens to typed bytes.
@Suite(.timeLimit(.minutes(30))) struct UserInterfaceTests {
  // MARK: Commands

  /// In every state, a command either has an effect or reports why not. The reason is that of
  /// the pure function.
  @Test(arguments: UserInterfaceTableTests.Start.allCases)
  func `A command that is off says the reason, in every state`(
    start: UserInterfaceTableTests.Start
  ) throws {
    var folder = try TemporaryFolder()
    var bench = try InterfaceBench(start.options)
    try start.prepare(bench, folder)
    // Each command with an effect needs a session of its own: a third of them in each run, others in
    // each state.
    let place = UserInterfaceTableTests.Start.allCases.firstIndex(of: start) ?? 0
    // A log would be a file in the working directory.
    for (number, command) in Command.all.enumerated() where command != .log {
      guard bench.app.outcome == nil else { break }
      let before = bench.terminal.written.count
      let refusal = command.refusal(in: bench.state)
      guard refusal != nil || isThorough || (number + place) % 3 == 0 else { continue }
      bench.interface.dialogs.dismiss()
      bench.interface.perform(command, from: .palette)
      try bench.turn()
      let text = String(decoding: bench.terminal.written[before...], as: UTF8.self)
      if let refusal {
        #expect(text.contains("Not available: \(refusal)."), "\(command.name): \(text)")
        // It had no effect, so the session goes on with the next command.
        continue
      }
      #expect(!text.contains("Not available"), "\(command.name)")
      bench.end()
      #expect(!bench.terminal.isRaw)
      folder = try TemporaryFolder()
      bench = try InterfaceBench(start.options)
      try start.prepare(bench, folder)
    }
    bench.end()
    #expect(!bench.terminal.isRaw)
  }

  // MARK: Nothing is lost uncounted

  /// For any order of events, typed bytes are sent once and in order, or counted.
  @Test(arguments: 0..<UInt64(repetitions(50)))
  func `Any order of events loses nothing uncounted`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = try TemporaryFolder()
    let bench = try InterfaceBench()
    let file = try bench.file(of: 3_000, in: folder, lowest: 0x80)
    try bench.begin()
    var typed: [UInt8] = []
    var events: [String] = []
    for _ in 0..<60 where bench.app.outcome == nil {
      let event = Int.random(in: 0..<14, using: &random)
      events.append("\(event)")
      switch event {
      case 0...3:
        let text = (0..<Int.random(in: 1...5, using: &random)).map { _ in
          UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &random)
        }
        if !bench.interface.dialogs.isOpen { typed += text }
        try bench.type(String(decoding: text, as: UTF8.self))
      case 4: try bench.unplug()
      case 5, 6: try bench.plug()
      case 7: bench.link?.appetite = 0
      case 8: try bench.accept(Int.random(in: 1...500, using: &random))
      case 9: try bench.accept()
      case 10: try bench.command("r")
      case 11: try bench.command(":")
      case 12:
        if Command.sendFile.command.refusal(in: bench.state) == nil {
          try bench.sendFile(file)
        }
      default: try bench.pass(.milliseconds(Int.random(in: 1...1_500, using: &random)))
      }
      try bench.turn()
    }
    bench.end()
    let ui = bench.interface
    let sent = bench.sent.filter { $0 < 0x80 }
    let uncounted =
      typed.count - sent.count - ui.keyboard.refusals.total
      - ui.focus.port.controller.sending.unsentCount
    #expect(uncounted == 0, "seed \(seed): \(events.joined(separator: " "))")
    var rest = typed[...]
    let isInOrder = sent.allSatisfy { byte in
      guard let place = rest.firstIndex(of: byte) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
    #expect(isInOrder, "seed \(seed)")
  }

  @Test func `What a lost device did not get is counted, and not sent to it later`() throws {
    var options = InterfaceBench.Options()
    options.appetite = 0
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type("reboot\r")
    try bench.unplug()
    try bench.plug()
    #expect(bench.session.state.isOpen)
    try bench.accept()
    try bench.type("k")
    #expect(bench.sent == [UInt8(ascii: "k")])
    #expect(bench.terminal.lines.contains { $0.hasSuffix("7 bytes were not sent.") })
  }

  @Test func `A file that quitting cuts off is reported with its progress`() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.appetite = 100
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.sendFile(bench.file(of: 5_000, in: folder))
    try bench.command("q")
    try bench.type("leave\r")
    for _ in 0..<4 { try bench.pass(.milliseconds(100)) }
    guard case .success(.done)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    bench.end()
    #expect(
      bench.terminal.lines.contains {
        $0.hasSuffix("image.bin was cut off: 100 of 5,000 bytes were sent.")
      })
    #expect(bench.interface.focus.port.controller.sending.unsentCount == 0)
  }

  // MARK: The screen

  @Test func `A lost device, and its return, are said in lines of their own`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    try bench.receive("boot> ")
    try bench.unplug()
    try bench.plug()
    try bench.receive("boot> ")
    let lines = bench.terminal.lines
    #expect(lines.first == "serialterm: fake:1 at 115200 8N1. ctrl-t q quits, ctrl-t ? for help.")
    #expect(lines[1] == "boot>")
    #expect(lines[2] == "serialterm: fake:1 is gone, waiting for it to come back.")
    #expect(lines[3].hasPrefix("serialterm: fake:1 is back after"))
    #expect(lines[4] == "boot>")
  }

  @Test func `The status line shows the rate of the bytes, and what becomes of the device`() throws
  {
    var options = InterfaceBench.Options()
    options.showsStatus = true
    let bench = try InterfaceBench(options)
    try bench.begin()
    #expect(bench.terminal.panel.last?.contains(" fake:1   115200 8N1 ") == true)
    for _ in 0..<25 {
      try bench.receive("0123456789")
      try bench.pass(.milliseconds(100))
    }
    #expect(bench.terminal.panel.last?.contains("in 100 B/s") == true)
    for _ in 0..<3 { try bench.pass(.seconds(1)) }
    #expect(bench.terminal.panel.last?.contains("in 0 B/s") == true)
    try bench.unplug()
    try bench.pass(.milliseconds(100))
    #expect(bench.terminal.panel.last?.contains("waiting for fake:1") == true)
    bench.end()
    #expect(bench.terminal.panel.isEmpty)
  }

  @Test func `A screen that takes nothing holds a device with flow control back`() throws {
    var options = InterfaceBench.Options()
    options.settings.flowControl = .hard
    let bench = try InterfaceBench(options)
    try bench.begin()
    let line = String(repeating: "x", count: 1_022) + "\r\n"
    var count = 0
    while bench.session.interest.contains(.reading) && count < 600 {
      bench.link?.incoming.append(FakeLink.Input(Array(line.utf8)))
      bench.session.handle(.readable)
      count += 1
    }
    #expect(count < 600)
    for _ in 0..<10 { try bench.turn() }
    #expect(bench.session.interest.contains(.reading))
    let text = String(decoding: bench.terminal.written, as: UTF8.self)
    #expect(text.count { $0 == "x" } == count * 1_022)
    #expect(!text.contains("not shown"))
  }

  // MARK: Pipes

  @Test
  func `Between pipes every byte passes unchanged, and the end of the input ends the session`()
    throws
  {
    var options = InterfaceBench.Options()
    options.screen = .none
    options.hasKeyboard = false
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type("a\u{14}q\r")
    try bench.receive("\u{1B}[2J\u{0}text")
    bench.terminal.endInput()
    try bench.turn()
    #expect(bench.sent == Array("a\u{14}q\r".utf8))
    guard case .success(.done)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    bench.end()
    #expect(bench.terminal.written == Array("\u{1B}[2J\u{0}text".utf8))
    #expect(bench.terminal.messageText.isEmpty)
  }

  @Test func `A pipe waits for a lost device, and its bytes go on`() throws {
    var options = InterfaceBench.Options()
    options.screen = .none
    options.hasKeyboard = false
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type("one ")
    try bench.unplug()
    try bench.type("two ")
    bench.terminal.endInput()
    try bench.turn()
    #expect(bench.app.outcome == nil)
    try bench.plug()
    for _ in 0..<5 { try bench.pass(.milliseconds(100)) }
    #expect(bench.sent == Array("one two ".utf8))
    guard case .success(.done)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    bench.end()
  }

  @Test func `An output without a reader ends the session`() throws {
    var options = InterfaceBench.Options()
    options.screen = .none
    options.hasKeyboard = false
    let bench = try InterfaceBench(options)
    try bench.begin()
    bench.terminal.closeDisplay()
    try bench.turn()
    guard case .failure(let failure)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    #expect(failure.status == .outputGone)
    bench.end()
  }

  // MARK: Several ports

  @Test func `Keys go to the port that has the focus, or to all`() throws {
    var options = InterfaceBench.Options()
    options.portCount = 3
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type("a")
    try bench.command("N")
    try bench.type("b")
    bench.interface.toggleSendToAll()
    try bench.type("c")
    let sent = bench.links.map { String(decoding: $0.sent, as: UTF8.self) }
    #expect(sent == ["ac", "bc", "c"])
    bench.end()
  }

  /// The text of each port in a log, in the order of reading.
  private func said(in log: FilePath) throws -> [String] {
    let reader = try LogReader(log)
    var said: [String] = []
    while case .entry(let entry) = try reader.next() {
      said.append("\(entry.port ?? "?"): \(String(decoding: entry.bytes, as: UTF8.self))")
    }
    return said
  }

  @Test func `Ports share a log, which one more port joins, and any port switches off and on`()
    throws
  {
    let folder = try TemporaryFolder()
    let log = folder("all.jsonl")
    var options = InterfaceBench.Options()
    (options.portCount, options.logs) = (2, [log.string])
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.receive("one")
    try bench.interface.connect(to: Endpoint(InterfaceBench.endpoint.kind, "fake:3"))
    #expect(bench.state.log == log)
    try bench.receive("two")
    try bench.command("N")
    try bench.receive("three")
    try bench.command("f")
    #expect(bench.interface.focus.ports.map(\.model.state.log) == [nil, nil, nil])
    try bench.receive("not this")
    try bench.command("N")
    try bench.command("f")
    try bench.receive("four")
    bench.end()
    #expect(try said(in: log) == ["fake:1: one", "fake:3: two", "fake:1: three", "fake:2: four"])
    #expect(bench.app.ports.allSatisfy { $0.log.missingCount == 0 })
  }

  @Test func `A log of one port is its own, and names no port`() throws {
    let folder = try TemporaryFolder()
    let log = folder("one.jsonl")
    var options = InterfaceBench.Options()
    options.logs = [log.string]
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.receive("one")
    try bench.interface.connect(to: Endpoint(InterfaceBench.endpoint.kind, "fake:2"))
    try bench.receive("of the other")
    bench.end()
    #expect(try said(in: log) == ["?: one"])
  }

  @Test func `A port that is lost for good leaves the keys to the next one`() throws {
    var options = InterfaceBench.Options()
    (options.portCount, options.reconnects) = (2, false)
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.unplug()
    #expect(bench.app.outcome == nil)
    try bench.type("k")
    #expect(bench.links.map(\.sent) == [[], [UInt8(ascii: "k")]])
    try bench.unplug()
    guard case .failure(let failure)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    #expect(failure.status == .deviceLost)
    bench.end()
  }
}
