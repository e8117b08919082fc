import Framing
import Encodings
import Options
import Patterns
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TestSupport
import Testing
import TextStages

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct CopySettingsTests {
  private func state(_ change: (inout TerminalState) -> Void = { _ in }) -> TerminalState {
    var state = TerminalState()
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    change(&state)
    return state
  }

  @Test func defaults_areNotInIt() {
    #expect(state().commandLine == "serialterm connect /dev/ttyUSB0")
  }

  @Test func changes_areInIt() {
    let changed = state {
      $0.requestedSettings = LineSettings(baudRate: 9600, parity: .even)
      $0.reconnects = false
      $0.lineEnding = .crlf
    }
    #expect(
      changed.commandLine
        == "serialterm connect /dev/ttyUSB0 -b 9600 -p even --no-reconnect --line-ending crlf")
  }

  @Test func words_areQuotedForAShell() {
    let filtered = state {
      $0.session = .released(.tty("/dev/serial/by-id/usb Board's"))
      $0.filter = "grep -v x"
      $0.isFiltering = true
    }
    #expect(
      filtered.commandLine
        == #"serialterm connect '/dev/serial/by-id/usb Board'\''s' --filter 'grep -v x'"#)
    #expect(
      state { $0.session = .open(LoopbackProvider.board, LineSettings()) }
        .commandLine
        == "serialterm connect loopback:board")
  }

  /// Passes every option to the parser of the command line again.
  @Test func sessionThatItOpens_hasTheSameSettings() throws {
    let map = try MapList(parsing: "from-device:cr=lf,to-device:lf=crlf")
    let all = state {
      $0.requestedSettings = LineSettings(
        baudRate: 1_200, dataBits: .seven, parity: .space, stopBits: .two, flowControl: .soft)
      $0.isReadOnly = true
      $0.reconnects = false
      $0.echoesLocally = true
      $0.editsLines = true
      $0.lineEnding = .lf
      $0.answers = .size
      $0.view.isHex = true
      $0.view.frames = try? ChosenFrameForm(parsing: "fixed:8")
      $0.checksum = .crc16Modbus
      $0.view.encoding = (try? Encoding("KOI8-R")) ?? .utf8
      $0.view.lines.shown = [try? Pattern(parsing: "one.two")].compactMap(\.self)
      $0.view.lines.hidden = [try? Pattern(parsing: "three")].compactMap(\.self)
      $0.view.lines.level = .warning
      $0.view.lines.collapses = true
      $0.view.isRaw = true
      $0.view.timestamps = TimestampFormat(.delta, .microseconds)
      $0.view.map = map
      $0.view.highlights = Highlight.levels
      $0.view.isHighlighting = true
      $0.filter = "cat"
      $0.isFiltering = true
      $0.showsStatus = true
    }
    let words = all.commandLine.split(separator: " ").dropFirst().map(String.init)
    let session = try connectConfiguration(words)
    #expect(session.session.target == .endpoint(.tty("/dev/ttyUSB0")))
    #expect(session.session.settings == all.requestedSettings)
    #expect(!session.session.reconnects)
    #expect(session.values[ViewParameters.filter] == "cat")
    var adopted = TerminalState()
    adopted.adopt(session.values)
    for setting in SessionSettings.all where !setting.isOfSession {
      #expect(setting.texts(of: adopted) == setting.texts(of: all), "\(setting.name)")
      #expect(setting.texts(of: all) != setting.standardTexts, "\(setting.name) has no test")
    }
  }

  /// The configuration is read again when the command line is used.
  @Test func configuredValues_areCancelled_whereTheSessionDiffers() throws {
    let keys = [
      "baud = 9600", "parity = 'even'", "reconnect = false", "no-reconnect = true",
      "local-echo = true", "status = true", "timestamps = 'time'", "map = 'from-device:cr=lf'",
      "highlight = 'levels'", "input-mode = 'line'", "line-ending = 'lf'", "prefix = 'ctrl-a'",
    ]
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    try file.closeAfter {
      _ = try file.writeAll((["[default]"] + keys).joined(separator: "\n").utf8)
    }
    let standard = state {
      $0.requestedSettings = LineSettings(flowControl: .hard)
      $0.configuredKeys = Set(keys.map { String($0.prefix { $0 != " " }) })
    }
    let words = standard.commandLine.split(separator: " ").dropFirst().map(String.init)
    let session = try connectConfiguration(words + ["--config", path.string])
    #expect(session.session.settings == standard.requestedSettings)
    #expect(session.session.reconnects)
    var adopted = TerminalState()
    adopted.adopt(session.values)
    for setting in SessionSettings.all where !setting.isOfSession {
      #expect(setting.texts(of: adopted) == setting.standardTexts, "\(setting.name)")
    }
    #expect(session.values[KeyboardParameters.prefix] == .control(0x01), "no command changes it")
    #expect(Set(session.profile.keys) == standard.configuredKeys)
  }

  private func connectConfiguration(_ words: [String]) throws -> ConnectConfiguration {
    try #require(try reading(words).command as? ConnectCommand).connectConfiguration
  }

  @Test func command_answersWithIt() throws {
    let bench = try PortBench()
    var outcome: CommandOutcome?
    Command.copySettings.perform(CommandCall(from: .json, at: bench.port) { outcome = $0 })
    #expect(outcome?.lines.last == "    serialterm connect /dev/ttyTEST")
  }
}
