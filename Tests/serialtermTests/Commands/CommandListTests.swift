import SerialCore
import SystemPackage
import Terminal
import TerminalWidgets
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct CommandListTests {
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

  /// The first page of a list, and the others.
  private func pages(
    _ state: TerminalState, on size: ScreenSize
  ) -> (first: [StyledLine], rest: [StyledLine]) {
    let (lines, page) = (lines(state, on: size), Dialogs.pageSize(on: size))
    return (Array(lines.prefix(page)), Array(lines.dropFirst(page)))
  }

  private func isAvailable(_ command: Command, _ state: TerminalState) -> Bool {
    command.refusal(in: state) == nil
  }

  /// A terminal with 24 rows of 80 columns: the size of a page on its alternate screen has one row
  /// more, because no text is above it.
  private static let standard = ScreenSize(rows: 25, columns: 80)
  private static let large = ScreenSize(rows: 41, columns: 120)

  @Test func firstPageOfAStandardScreen_hasAllThatHasAKey_orAllOfItThatIsAvailable() {
    var roomy: [Bool] = []
    for state in Self.states {
      let (first, rest) = pages(state, on: Self.standard)
      #expect(first.count == 23 && rest.count <= 2 * 23, "\(first.map(\.text) + rest.map(\.text))")
      #expect((first + rest).allSatisfy { $0.width <= 80 })
      let hasRoom = text(first).contains("(off:")
      roomy.append(hasRoom)
      for command in Command.all {
        let entry = "\(command.key.map { "\($0) " } ?? "")\(command.name)"
        let isFirst = command.key != nil && (hasRoom || isAvailable(command, state))
        #expect(text(isFirst ? first : rest).contains(entry), "\(entry)")
      }
      let keyed = Command.all.filter { $0.key != nil && isAvailable($0, state) }
      #expect(first.flatMap(\.runs).count { $0.style == .bold } == keyed.count)
      #expect(!rest.flatMap(\.runs).contains { $0.style == .bold && $0.text != " " })
      #expect(!first.contains { $0.text.hasSuffix("…") })
    }
    #expect(roomy == [true, true, true, true, true])
  }

  @Test func largeScreen_hasAllOfItOnOnePage() {
    for state in Self.states {
      let (first, rest) = pages(state, on: Self.large)
      #expect(rest.isEmpty, "\(first.map(\.text) + rest.map(\.text))")
      #expect(first.allSatisfy { $0.width <= 120 })
    }
  }

  @Test(arguments: [
    ScreenSize(rows: 24, columns: 80), ScreenSize(rows: 12, columns: 40),
    ScreenSize(rows: 60, columns: 120), ScreenSize(rows: 6, columns: 20),
    ScreenSize(rows: 1, columns: 2),
  ])
  func everyCommandIsInIt_withItsKey_andWhyItIsOff(size: ScreenSize) {
    for state in Self.states {
      let lines = lines(state, on: size)
      let text = text(lines)
      #expect(lines.allSatisfy { $0.width <= size.columns })
      if size.columns < 20 { continue }
      for command in Command.all {
        let key = command.key.map { "\($0) " } ?? ""
        #expect(text.contains("\(key)\(command.name)"))
        if let reason = command.refusal(in: state) {
          #expect(text.contains("(off: \(reason))"), "\(command.name) on \(size)")
        }
      }
    }
  }

  @Test func groups_haveTheirTitlesBesideThem_inOrder() {
    func titles(_ lines: [StyledLine]) -> [String] {
      lines.compactMap { line in
        line.text.hasPrefix("Commands") || line.text.hasPrefix(" ")
          ? nil : line.text.split(separator: " ").first.map(String.init)
      }
    }
    let all = SessionCommandGroup.allCases.map(\.title)
    #expect(titles(lines(Self.states[2], on: Self.large)) == all)
    let (first, rest) = pages(Self.states[2], on: Self.standard)
    for titles in [titles(first), titles(rest)] {
      #expect(titles == all.filter { titles.contains($0) })
    }
    #expect(Set(titles(first) + titles(rest)) == Set(all))
  }

  @Test func namesBeginInFewColumns_andKeysAreBold() {
    let lines = pages(Self.states[2], on: Self.standard).first.dropFirst()
    var columns: Set<Int> = []
    for line in lines {
      var column = 0
      for run in line.runs {
        if run.style == .bold {
          #expect(run.text.count == 1)
          columns.insert(column)
        }
        column += run.text.count
      }
    }
    #expect(columns == [8, 44])
  }

  @Test func tallScreen_hasOneLineForEachAvailableCommand_withItsDescriptionAndValue() {
    let texts = lines(Self.states[2], on: ScreenSize(rows: 90, columns: 100)).map(\.text)
    #expect(texts.contains("Device  B baud             set the baud rate        115200"))
    #expect(texts.contains { $0.hasPrefix("Log     f log              ") })
    let available = Command.all.filter { isAvailable($0, Self.states[2]) }
    #expect(texts.count { !$0.contains("(off:") } == available.count + 2)
  }

  @Test func smallScreen_hasTitlesOfTheirOwn_andTheReason_orTheValue_orTheDescription() {
    let texts = lines(Self.states[0], on: ScreenSize(rows: 24, columns: 39)).map(\.text)
    for line in ["Device", "e local-echo    off", "m mapping       map characters"] {
      #expect(texts.contains(line), "\(texts)")
    }
    #expect(texts.contains("b break, g toggle-line, p pulse-line, L"))
  }

  @Test func unavailableCommands_areDimmedAndLastInTheirGroup() {
    for size in [Self.standard, Self.large, ScreenSize(rows: 90, columns: 100)] {
      for run in lines(Self.states[1], on: size).flatMap(\.runs) where run.text.contains("(off:") {
        #expect(run.style == .dimmed)
      }
    }
    let texts = lines(Self.states[1], on: ScreenSize(rows: 90, columns: 120)).map(\.text)
    let lines = texts.firstIndex { $0.hasPrefix("Lines") }
    #expect(
      lines.map { Array(texts[$0..<$0 + 2]) } == [
        "Lines   b break (off: this port has no break)",
        "        g toggle-line, p pulse-line, L lines, sequence (off: this port has no modem lines)",
      ])
  }

  @Test func printedList_hasALineForEachCommand_belowTheTitleOfItsGroup() {
    let texts = CommandList(state: Self.states[0], prefix: .standard).lines().map(\.text)
    #expect(texts.count == Command.all.count + SessionCommandGroup.allCases.count + 2)
    #expect(texts.contains("Device:") && texts.contains("  q  quit: end the session"))
    let columns = texts.compactMap { text in
      text.firstRange(of: "(off").map { text.distance(from: text.startIndex, to: $0.lowerBound) }
    }
    #expect(Set(columns).count == 1)
  }

  @Test func commandOfEverySetting_isInAGroup_andNoCommandIsInTwo() {
    let names = Command.all.map(\.name)
    #expect(Set(names).count == names.count)
    for command in SessionSettings.all.flatMap(\.commands) { #expect(names.contains(command.name)) }
  }

  // MARK: The palette

  @Test func palette_endsWithTheBasicCommands() {
    let names = CommandList.choices(in: TerminalState()).map(\.name)
    #expect(names.suffix(2) == ["help", "quit"])
    #expect(names.first == "baud")
    #expect(Set(names).count == Command.all.count - 1)
  }

  @Test func palette_beginsWithTheCommandsThatWereUsedLast_eachOnce() {
    let used = [
      "mark", "snippet: gone", "hex", "plot", "clear", "who", "quit", "unknown", "log", "hex",
      "stop",
    ]
    let names = CommandList.choices(in: TerminalState(), used: used).map(\.name)
    #expect(names.prefix(7) == ["mark", "hex", "plot", "clear", "who", "baud", "data-bits"])
    #expect(Set(names).count == Command.all.count - 1)
    #expect(names.last == "quit")
  }

  @Test func snippets_areFoundByTheirOtherWords() {
    var state = TerminalState()
    for (typed, off) in [("macro", true), ("snippet", true), ("", false)] {
      var list = ChoiceList(CommandList.choices(in: state, typed: typed))
      list.replaceQuery(typed)
      list.settle()
      #expect(
        (list.selected?.refusal == "there are none yet: see 'serialterm help snippets'") == off,
        "\(typed)")
    }
    state.snippets = [Snippet(name: "login", text: Array("root".utf8))]
    for typed in ["macro", "snippet", "canned text", "snippet: login"] {
      #expect(
        found(typed, in: ChoiceList(CommandList.choices(in: state))).first == "snippet: login")
    }
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
    // Words of users of tio, minicom, picocom, screen, PuTTY, CoolTerm and Arduino.
    ("baud", "baud"), ("bps", "baud"), ("newline", "line-ending"), ("record", "log"),
    ("logging", "log"), ("clear", "clear"), ("cls", "clear"), ("bye", "quit"), ("kill", "quit"),
    ("reboot", "pulse-line"), ("restart", "pulse-line"), ("bootloader", "sequence"),
    ("xmodem", "send-file"), ("zmodem", "send-file"), ("paste", "send-file"),
    ("colour", "highlight"),
    ("color", "highlight"), ("timestamp", "timestamps"), ("date", "timestamps"),
    ("time", "timestamps"), ("split", "connect-to"), ("pause", "pause"), ("freeze", "pause"),
    ("autoscroll", "pause"), ("scroll lock", "pause"), ("find", "search"), ("grep", "show"),
    ("history", "search"), ("scrollback", "search"), ("filter", "filter"), ("only", "show"),
    ("exclude", "hide"), ("dtr", "toggle-line"), ("cts", "lines"), ("parity", "parity"),
    ("8 bits", "data-bits"), ("xon", "flow"), ("hex", "hex"), ("hexadecimal", "hex"),
    ("send hex", "hex-input"), ("half duplex", "local-echo"), ("script", "run-script"),
    ("exec", "run-command"), ("shell", "run-command"), ("chart", "plot"), ("csv", "plot-form"),
    ("export", "write-text"), ("save", "save-profile"), ("save settings", "save-profile"),
    ("share", "share"), ("rfc2217", "share"), ("web", "share"), ("detach", "release"),
    ("flash", "release"), ("reconnect", "reconnect"), ("menu", "help"), ("keys", "help"),
    ("loop", "repeat"), ("every", "repeat"), ("resize", "terminal-size"), ("cfg", "configuration"),
  ])
  func wordThatUsersType_findsTheCommandFirst(query: String, command: String) {
    #expect(found(query).first == command)
  }

  @Test(arguments: [("crash", "run-command"), ("date", "repeat"), ("esp", "repeat")])
  func lettersHereAndThere_findNothing(query: String, command: String) {
    #expect(!found(query).contains(command))
  }

  @Test func everyCommand_hasSynonyms_andIsFoundFirstByEachUnlessAnotherHasIt() {
    let list = ChoiceList(CommandList.choices(in: TerminalState()))
    for command in Command.all where command != .palette {
      #expect(!command.synonyms.isEmpty, "\(command.name)")
      #expect(found(command.name, in: list).first == command.name)
      for synonym in command.synonyms {
        let found = found(synonym, in: list)
        let first = Command.all.first { found.first == $0.name }
        #expect(first?.synonyms.contains(synonym) == true, "\(synonym): \(found.first ?? "")")
        #expect(found.contains(command.name), "\(synonym)")
      }
    }
  }
}
