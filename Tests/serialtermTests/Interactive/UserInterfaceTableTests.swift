import Glibc
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// Every state of an interactive session, with every event that can occur in it.
@Suite(.timeLimit(.minutes(30))) struct UserInterfaceTableTests {
  /// The states, and how a user reaches them.
  enum Start: String, CaseIterable {
    case opening, open, held, lost, lent, ended, palette, printed, line, file, leaving, readOnly,
      two

    var options: InterfaceBench.Options {
      var options = InterfaceBench.Options()
      switch self {
      case .opening: options.opensLate = true
      case .held: options.appetite = 0
      case .file, .leaving: options.appetite = 100
      case .ended: options.reconnects = false
      case .printed: options.printsLists = true
      case .line: options.editsLines = true
      case .readOnly: options.isReadOnly = true
      case .two: options.portCount = 2
      case .open, .lost, .lent, .palette: break
      }
      return options
    }

    func prepare(_ bench: InterfaceBench, _ folder: TemporaryFolder) throws {
      try bench.begin()
      switch self {
      case .opening, .open, .readOnly: break
      case .held:
        try bench.type("ab")
        try bench.pass(.milliseconds(500))
      case .lost, .ended: try bench.unplug()
      case .lent: try bench.command("r")
      case .palette, .printed: try bench.command(":")
      case .line: try bench.type("ab")
      case .file, .leaving:
        try bench.sendFile(bench.file(of: 5_000, in: folder))
        try bench.turn()
        if self == .leaving { try bench.command("q") }
      case .two: try bench.command("N")
      }
    }
  }

  /// The events.
  enum Event: String, CaseIterable {
    case key, enter, escape, interrupt, help, palette, unknown, sendBreak, lend, switchPort, quit
    case endOfInput, terminate, resize, received, unplugged, plugged, opened, accepted, second
    case displayGone

    func happen(to bench: InterfaceBench) throws {
      switch self {
      case .key: try bench.type("k")
      case .enter: try bench.type("\r")
      case .escape:
        try bench.type("\u{1B}")
        try bench.pass(.milliseconds(50))
      case .interrupt: try bench.type("\u{3}")
      case .help:
        // Makes the screen large enough for the list.
        bench.terminal.resize(ScreenSize(rows: 60, columns: 80))
        bench.app.handle(signal: SIGWINCH)
        try bench.command("?")
      case .palette: try bench.command(":")
      case .unknown: try bench.command("z")
      case .sendBreak: try bench.command("b")
      case .lend: try bench.command("r")
      case .switchPort: try bench.command("N")
      case .quit:
        try bench.command("q")
        // Waits until the program stops waiting for the device.
        for _ in 0..<4 { try bench.pass(.milliseconds(100)) }
      case .endOfInput:
        bench.terminal.endInput()
        try noteEnd(of: bench)
      case .terminate:
        bench.app.handle(signal: SIGTERM)
        try bench.turn()
      case .resize:
        bench.terminal.resize(ScreenSize(rows: 10, columns: 40))
        bench.app.handle(signal: SIGWINCH)
        try bench.turn()
      case .received: try bench.receive("hi\r\n")
      case .unplugged: try bench.unplug()
      case .plugged: try bench.plug()
      case .opened:
        bench.link?.finishOpening()
        try bench.turn()
      case .accepted: try bench.accept()
      case .second: try bench.pass(.seconds(1))
      case .displayGone:
        bench.terminal.closeDisplay()
        try noteEnd(of: bench)
      }
    }

    /// Waits for the end of a pipe, which a process that another test is starting may hold open
    /// for a moment.
    private func noteEnd(of bench: InterfaceBench) throws {
      _ = try bench.wait { bench.app.outcome != nil }
    }
  }

  /// The result of each event: the state of the session, followed by `?` if a question is open, `f`
  /// if a file is being sent, `sN` if bytes were sent, `qN` if bytes are queued, `rN` if bytes were
  /// refused, and `=` with the end of the program.
  private static let tables = [
    """
    event      |opening     |open     |held       |lost     |lent     |ended      |palette
    key        |openingr1   |opens1   |openq3     |lostr1   |lentr1   |closed=lost|open?
    enter      |openingr1   |opens1   |openq3     |lostr1   |lentr1   |closed=lost|open?
    escape     |openingr1   |opens1   |openq3     |lostr1   |lentr1   |closed=lost|open
    interrupt  |openingr1   |opens1   |openq3     |lostr1   |lentr1   |closed=lost|open
    help       |opening?    |open?    |open?q2    |lost?    |lent?    |closed=lost|open?
    palette    |opening?    |open?    |open?q2    |lost?    |lent?    |closed=lost|open?
    unknown    |opening     |open     |openq2     |lost     |lent     |closed=lost|open
    sendBreak  |opening     |open     |openq2     |lost     |lent     |closed=lost|open
    lend       |opening     |lent     |openq2     |lent     |lost     |closed=lost|lent
    switchPort |opening     |open     |openq2     |lost     |lent     |closed=lost|open
    quit       |opening=done|open=done|openq2=done|lost=done|lent=done|closed=lost|open=done
    endOfInput |opening=hup |open=hup |openq2=hup |lost=hup |lent=hup |closed=lost|open?=hup
    terminate  |opening=term|open=term|openq2=term|lost=term|lent=term|closed=term|open?=term
    resize     |opening     |open     |openq2     |lost     |lent     |closed=lost|open?
    received   |opening     |open     |openq2     |lost     |lent     |closed=lost|open?
    unplugged  |opening     |lost     |lost       |lost     |lent     |closed=lost|lost?
    plugged    |opening     |open     |openq2     |open     |lent     |closed=lost|open?
    opened     |open        |open     |openq2     |lost     |lent     |closed=lost|open?
    accepted   |opening     |open     |opens2     |lost     |lent     |closed=lost|open?
    second     |opening     |open     |openq2     |lost     |lent     |closed=lost|open?
    displayGone|opening=hup |open=hup |openq2=hup |lost=hup |lent=hup |closed=lost|open?=hup
    """,
    """
    event      |printed   |line     |file           |leaving         |readOnly |two
    key        |open?     |open     |openfq4900r1   |open?fq4900     |openr1   |opens1
    enter      |open      |opens3   |openfq4900r1   |openfq4900      |openr1   |opens1
    escape     |open      |opens1   |openfq4900r1   |openfq4900      |openr1   |opens1
    interrupt  |open      |opens1   |open           |openfq4900      |openr1   |opens1
    help       |open?     |open?    |open?fq4900    |open?fq4900     |open?    |open?
    palette    |open?     |open?    |open?fq4900    |open?fq4900     |open?    |open?
    unknown    |open      |open     |openfq4900     |openfq4900      |open     |open
    sendBreak  |open      |open     |openfq4900     |openfq4900      |open     |open
    lend       |lent      |lent     |openfq4900     |openfq4900      |lent     |lent
    switchPort |open      |open     |openfq4900     |openfq4900      |open     |open
    quit       |open=done |open=done|open?fq4900    |openf=done      |open=done|open=done
    endOfInput |open?=hup |open=hup |openfq4900=hup |open?fq4900=hup |open=hup |open=hup
    terminate  |open?=term|open=term|openfq4900=term|open?fq4900=term|open=term|open=term
    resize     |open?     |open     |openfq4900     |open?fq4900     |open     |open
    received   |open?     |open     |openfq4900     |open?fq4900     |open     |open
    unplugged  |lost?     |lost     |lost           |lost            |lost     |lost
    plugged    |open?     |open     |openfq4900     |open?fq4900     |open     |open
    opened     |open?     |open     |openfq4900     |open?fq4900     |open     |open
    accepted   |open?     |open     |opens4900      |opens4900       |open     |open
    second     |open?     |open     |openfq4900     |open?fq4900     |open     |open
    displayGone|open?=hup |open=hup |openfq4900=hup |open?fq4900=hup |open=hup |open=hup
    """,
  ]

  private static func shown(_ state: SessionState) -> String {
    switch state {
    case .opening: "opening"
    case .open: "open"
    case .waitingForDevice: "lost"
    case .released: "lent"
    case .closed: "closed"
    }
  }

  private static func shown(_ outcome: Result<serialterm.ExitStatus, Failure>?) -> String {
    switch outcome {
    case nil: ""
    case .success(.done): "=done"
    case .success(.signal(SIGHUP)): "=hup"
    case .success(.signal(SIGTERM)): "=term"
    case .success(let status): "=\(status)"
    case .failure(let failure): failure.status == .deviceLost ? "=lost" : "=\(failure.status)"
    }
  }

  private static func result(of event: Event, in start: Start) throws -> String {
    let folder = try TemporaryFolder()
    let bench = try InterfaceBench(start.options)
    try start.prepare(bench, folder)
    let (sent, refused) = (bench.sent.count, bench.interface.keyboard.refusals.total)
    try event.happen(to: bench)
    expectTruth(of: bench, "\(event) in \(start)")
    let ui = bench.interface
    let counts = [
      ("s", bench.sent.count - sent), ("q", bench.session.queuedByteCount),
      ("r", ui.keyboard.refusals.total - refused),
    ]
    let result =
      shown(bench.session.state) + (ui.dialogs.isOpen ? "?" : "")
      + (ui.focus.port.controller.sending.exchange == nil ? "" : "f")
      + counts.filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }.joined()
      + shown(bench.app.outcome)
    expectGoodEnd(of: bench, "\(event) in \(start)")
    return result
  }

  /// Expects that the observed state equals that of the session.
  private static func expectTruth(of bench: InterfaceBench, _ what: String) {
    for port in bench.interface.focus.ports {
      let (state, session) = (port.model.state, port.controller.session)
      #expect(state.session == session.state, "\(what)")
      let exchange = session.writer == session.owner ? nil : session.writer
      #expect(state.exchange == exchange, "\(what)")
      #expect(state.capabilities == session.capabilities, "\(what)")
      #expect(!state.isHeld || session.queuedByteCount > 0, "\(what)")
      #expect((port.controller.sending.exchange == nil) == (state.exchange == nil), "\(what)")
    }
  }

  /// Expects that the program ends properly: the ports are closed, and the terminal is restored.
  private static func expectGoodEnd(of bench: InterfaceBench, _ what: String) {
    let sent = bench.sent
    bench.end()
    #expect(bench.sent == sent, "\(what)")
    for port in bench.interface.focus.ports {
      guard case .closed = port.controller.session.state else {
        Issue.record("\(what): \(port.controller.session.state)")
        continue
      }
    }
    let (terminal, screen) = (bench.terminal, bench.terminal.screen)
    #expect(!terminal.isRaw, "\(what)")
    guard terminal.isDisplayed else { return }
    #expect(!terminal.isCursorAway, "\(what)")
    #expect(screen.wraps && screen.isCursorShown, "\(what)")
    #expect(screen.region == 0..<screen.size.rows, "\(what)")
    #expect(screen.place.attributes.isEmpty && screen.place.column == 0, "\(what)")
    #expect(terminal.panel.isEmpty, "\(what): \(terminal.panel)")
    #expect(!terminal.marksPastes, "\(what)")
  }

  @Test func everyEvent_inEveryState() throws {
    var starts: [Start?] = []
    for table in Self.tables {
      let rows = table.split(separator: "\n").map { line in
        line.split(separator: "|").map { $0.split(separator: " ").joined() }
      }
      let columns = try #require(rows.first).dropFirst().map { Start(rawValue: $0) }
      starts += columns
      #expect(rows.dropFirst().map { Event(rawValue: $0[0]) } == Event.allCases)
      for (row, event) in zip(rows.dropFirst(), Event.allCases) {
        for (expected, start) in zip(row.dropFirst(), columns) {
          let result = try Self.result(of: event, in: try #require(start))
          #expect(result == expected, "\(event) in \(String(describing: start))")
        }
      }
    }
    #expect(starts == Start.allCases)
  }
}
