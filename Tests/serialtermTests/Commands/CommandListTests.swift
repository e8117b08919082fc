import SerialCore
import SystemPackage
import Terminal
import TerminalWidgets
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct CommandListTests {
  private static let standard = ScreenSize(rows: 24, columns: 80)

  /// States in which as many commands as possible are unavailable.
  private static var states: [TerminalState] {
    var open = TerminalState()
    open.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    open.capabilities = .settings
    var released = TerminalState()
    released.session = .released(.tty("/dev/ttyUSB0"))
    var full = open
    full.capabilities = [.settings, .breaks, .modemLines]
    full.modemLines = [.dtr, .rts]
    var readOnly = open
    readOnly.isReadOnly = true
    return [TerminalState(), open, full, released, readOnly]
  }

  private func lines(_ state: TerminalState, on size: ScreenSize) -> [StyledLine] {
    CommandList(state: state, prefix: .standard).lines(on: size)
  }

  /// The text of a list without its line breaks.
  private func text(_ lines: [StyledLine]) -> String {
    lines.map(\.text).joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  @Test func list_needsAtMostTwoPagesOfAStandardScreen_inEveryState() {
    for state in Self.states {
      let lines = lines(state, on: Self.standard)
      #expect(
        lines.count < 2 * (Self.standard.rows - 1), "\(lines.map(\.text).joined(separator: "\n"))")
      #expect(lines.allSatisfy { $0.width <= Self.standard.columns })
    }
  }

  @Test(arguments: [
    ScreenSize(rows: 24, columns: 80), ScreenSize(rows: 12, columns: 40),
    ScreenSize(rows: 60, columns: 120), ScreenSize(rows: 6, columns: 20),
  ])
  func everyCommandIsInIt_withItsKey_andWhyItIsOff(size: ScreenSize) {
    for state in Self.states {
      let lines = lines(state, on: size)
      let text = text(lines)
      #expect(lines.allSatisfy { $0.width <= size.columns })
      for command in Command.all {
        let key = command.key.map { "\($0) " } ?? ""
        #expect(text.contains("\(key)\(command.name)"))
        if let reason = command.refusal(in: state) {
          #expect(text.contains("(off: \(reason))"), "\(command.name) on \(size)")
        }
      }
    }
  }

  @Test func largeScreen_hasOneLinePerCommand_withItsDescription() {
    let lines = lines(Self.states[0], on: ScreenSize(rows: 80, columns: 120))
    #expect(lines.count == Command.all.count + 2)
    let columns = lines.compactMap { line in
      line.text.firstRange(of: "(off").map {
        line.text.distance(from: line.text.startIndex, to: $0.lowerBound)
      }
    }
    #expect(Set(columns).count == 1)
    #expect(lines.contains { $0.text.hasPrefix("  p  pulse-line: pulse DTR or RTS ") })
  }

  @Test func smallScreen_hasTheReason_orTheValue_orTheDescription() {
    let texts = lines(Self.states[0], on: ScreenSize(rows: 24, columns: 39)).map(\.text)
    #expect(texts.contains("p pulse-line       (off: no device)"))
    #expect(texts.contains("e local-echo       off"))
    #expect(texts.contains("m mapping          map characters"))
  }

  @Test func roomBesideACommand_isFilled() {
    // An odd number of narrow commands leaves one cell empty.
    for state in Self.states {
      let lines = lines(state, on: Self.standard).dropFirst().dropLast()
      let narrow = lines.filter { $0.width < Self.standard.columns / 2 }
      #expect(narrow.count <= 1, "\(narrow.map(\.text))")
    }
  }

  @Test func disabledChoices_areDimmed_alsoBesideEnabledOnes() {
    for size in [Self.standard, ScreenSize(rows: 80, columns: 120)] {
      for run in lines(Self.states[1], on: size).flatMap(\.runs) {
        #expect(run.text.contains("(off:") == run.style.contains(.dimmed) || run.text == " ")
      }
    }
  }

  @Test func palette_endsWithTheBasicCommands() {
    let names = CommandList.choices(in: TerminalState()).map(\.name)
    #expect(names.suffix(2) == ["help", "quit"])
    #expect(Set(names).count == Command.all.count - 1)
  }

  private func found(_ query: String, in list: ChoiceList<Command>? = nil) -> [String] {
    var list = list ?? ChoiceList(CommandList.choices(in: TerminalState()))
    _ = list.handle(.paste(Array(query.utf8)))
    return list.matching.map(\.name)
  }

  @Test(arguments: [
    ("exit", "quit"), ("disconnect", "quit"), ("close", "quit"), ("upload", "send-file"),
    ("download", "receive-files"), ("rz", "receive-files"),
    ("crlf", "line-ending"), ("line ending", "line-ending"), ("speed", "baud"),
    ("search", "search"),
    ("capture", "log"), ("settings", "configuration"), ("stats", "statistics"),
    ("reset", "pulse-line"), ("rts", "toggle-line"), ("handshake", "flow"),
    ("cancel", "stop"), ("stop sequence", "stop"),
    ("send file", "send-file"), ("b", "break"), ("B", "baud"), ("db", "data-bits"),
    ("echo", "local-echo"), ("115200", "baud"),
  ])
  func wordThatUsersType_findsTheCommandFirst(query: String, command: String) {
    #expect(found(query).first == command)
  }

  @Test func everyCommand_hasSynonyms_andIsFoundFirstByEachUnlessAnotherHasIt() {
    let list = ChoiceList(CommandList.choices(in: TerminalState()))
    for command in Command.all where command != .palette {
      #expect(!command.synonyms.isEmpty, "\(command.name)")
      #expect(found(command.name, in: list).first == command.name)
      for synonym in command.synonyms {
        let found = found(synonym, in: list)
        let first = Command.all.first { found.first == $0.name }
        #expect(first?.synonyms.contains(synonym) == true, "\(synonym)")
        #expect(found.contains(command.name), "\(synonym)")
      }
    }
  }
}
