import Observing
import Options
import Terminal
import TestSupport
import Testing
import TextStages

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct SessionSettingTests {
  private static let names = Set(SessionSettings.all.map(\.name))

  /// Commands that change a setting without a row of the command's name: the row that has it, or
  /// the reason why there is none.
  private static let others: [String: Setting] = [
    "status-line": .of(ViewParameters.status),
    "line-input": .of(KeyboardParameters.inputMode),
    "hex-input": .of(KeyboardParameters.inputMode),
    "pause": .none("the screen stands now, and not at the start of another session"),
    "timestamp-format": .of(ViewParameters.timestamps),
    "mapping": .of(ViewParameters.map),
    "input-map": .of(ViewParameters.map),
    "output-map": .of(ViewParameters.map),
    "filter": .none("copy-settings writes it itself, and no profile can have it"),
    "log": .none("the files of --log are those of the start, and stay in the profile"),
    "plot": .none("'serialterm plot' opens a plot"),
    "plot-form": .none("an option of 'serialterm plot' alone"),
    "follow-size": .none("no option"),
    "toggle-line": .none("the present level of a line, not what --dtr and --rts say"),
    "pulse-line": .none("the present level of a line, not what --dtr and --rts say"),
    "lines": .none("shows the lines only"),
    "stop": .none("what runs now"),
    "send-file": .none("what the device offers now"),
    "receive-files": .none("what the device offers now"),
    "release": .none("the state of the port"),
    "next-port": .none("the ports of the program"),
    "port": .none("the ports of the program"),
    "send-to-all": .none("the ports of the program"),
    "pen": .none("who is there now"),
    "take-pen": .none("who is there now"),
    "who": .none("who is there now"),
    "name": .none("the name in this session"),
    "share": .none("addresses of this computer, which the next session may not have"),
  ]

  private enum Setting {
    case row(String)
    case none(String)

    static func of(_ option: any Declared) -> Setting { .row(option.declaration.name) }
  }

  /// A command that switches an option must be known to `copy-settings` and `save-profile`.
  @Test func `A command with a value has a row, or a reason`() {
    var rich = TerminalState()
    rich.view.timestamps = TimestampFormat(.time)
    rich.view.map = (try? MapList(parsing: "from-device:cr=lf,to-device:lf=crlf")) ?? MapList()
    let states = NeedTests.Situation.allCases.map(\.state) + [rich]
    for command in Command.all where states.contains(where: { command.value($0) != nil }) {
      switch Self.others[command.name] {
      case .row(let name): #expect(Self.names.contains(name), "\(command.name)")
      case Setting.none(_)?: break
      case nil: #expect(Self.names.contains(command.name), "\(command.name) has no row")
      }
    }
  }

  @Test func `An option that a command switches has a row, or a reason`() {
    let commands = Set(Command.all.map(\.name))
    for option in ConnectCommand.description.declarations
    where commands.contains(option.name) {
      if case .none(_)? = Self.others[option.name] { continue }
      #expect(Self.names.contains(option.name), "--\(option.name) has no row")
    }
  }

  @Test func `An exception is about a command, and a row has one option of connect`() {
    #expect(Set(Self.others.keys).isSubset(of: Command.all.map(\.name)))
    let options = Set(ConnectCommand.description.declarations.map(\.name))
    #expect(Self.names.isSubset(of: options))
    #expect(Self.names.count == SessionSettings.all.count)
  }

  /// What a row applies, it also writes.
  @Test(arguments: [
    ("read-only", "true"), ("local-echo", "true"), ("input-mode", "line"), ("line-ending", "crlf"),
    ("hex", "true"), ("timestamps", "delta:us"), ("map", "from-device:cr=lf"),
    ("highlight", "levels"), ("status", "true"),
  ])
  func `A row writes what it applies`(name: String, text: String) throws {
    let setting = try #require(SessionSettings.all.first { $0.name == name })
    var state = TerminalState()
    #expect(setting.texts(of: state) != [text])
    let values = try Values(Given().with(name, [text]), of: [setting.declaration])
    setting.adopt(values, into: &state)
    #expect(setting.texts(of: state) == [text])
    setting.adopt(try Values(Given(), of: []), into: &state)
    #expect(setting.texts(of: state) == setting.standardTexts)
  }

  @Test func `Nothing is drawn on a terminal that can only print`() throws {
    let given = Given().with("status", ["true"]).with("input-mode", ["line"])
    var state = TerminalState()
    state.screen = .printing
    state.adopt(try Values(given, of: ConnectCommand.description.declarations))
    #expect(!state.showsStatus && !state.editsLines)
  }

  @Test func `The ports share the status line and the edited line, and nothing else`() {
    var new = TerminalState()
    new.showsStatus = true
    new.editsLines = true
    new.isReadOnly = true
    var other = TerminalState()
    let change = Change(from: TerminalState(), to: new)
    for part in SessionSettings.sharedParts where part.isChanged(change) {
      part.copy(new, &other)
    }
    #expect(other.showsStatus && other.editsLines && !other.isReadOnly)
  }

  /// Other forms of a value in a configuration file are not changes.
  @Test func `Another form of a text is the same value`() throws {
    let map = try #require(SessionSettings.all.first { $0.name == "map" })
    #expect(map.canonical(["ICRNL"]) == ["from-device:cr=lf"])
    #expect(map.canonical(["nonsense"]) == ["nonsense"])
  }
}
