import ArgumentParser
import Configuration
import Testing

@testable import serialterm

@Suite("The keys of profiles", .timeLimit(.minutes(5)))
struct ProfileKeyTests {
  /// Options that are for one call of a command, and no matter of a configuration.
  private static let others: Set<String> = [
    "config", "profile", "help", "version", "exec", "filter", "json", "file", "hex", "escapes",
    "expect", "print", "report",
  ]

  /// The long names in a command's help.
  private func options(of command: any ParsableCommand.Type) -> Set<String> {
    Set(
      command.helpMessage().matches(of: #/--([a-z0-9-]+)/#).map { String($0.output.1) }
    ).filter { !$0.hasPrefix("no-") }
  }

  @Test("every option of a command that talks to a device is a key")
  func complete() {
    let commands: [(any ParsableCommand.Type, ProfiledCommandName)] = [
      (ConnectCommand.self, .connect), (LogCommand.self, .log), (SendCommand.self, .send),
      (RunCommand.self, .run),
    ]
    for (command, name) in commands {
      let keys = Set(ProfileKey.all.filter { $0.commands.contains(name) }.map(\.name))
      let missing = options(of: command).subtracting(keys).subtracting(Self.others)
      #expect(missing == [], "\(name)")
      #expect(keys.subtracting(options(of: command)) == (name == .connect ? ["no-reconnect"] : []))
    }
  }

  @Test(
    "values become the command line's words",
    arguments: [
      ("baud", Value.integer(300), ["--baud=300"]), ("linger", .number(0.5), ["--linger=0.5"]),
      ("linger", .integer(1), ["--linger=1"]), ("hex", .boolean(true), ["--hex"]),
      ("hex", .boolean(false), []), ("timestamps", .boolean(false), []),
      ("log", .boolean(false), []),
      ("timestamps", .boolean(true), nil), ("reconnect", .boolean(false), ["--no-reconnect"]),
      ("map", .string("-x"), ["--map=-x"]),
      ("log", .array([.string("a"), .string("b")]), ["--log=a", "--log=b"]),
      ("log", .array([.integer(1)]), nil), ("baud", .string("300"), nil),
      ("hex", .integer(1), nil), ("baud", .number(1.5), nil), ("map", .array([]), nil),
    ] as [(String, Value, [String]?)])
  func words(_ name: String, _ value: Value, _ words: [String]?) {
    #expect(ProfileKey(named: name)?.arguments(for: value) == words)
  }

  @Test("--no-NAME cancels a key, unless the parser knows it or there is no such key")
  func switchedOff() {
    let words = SwitchedOff(
      ["--no-hex", "--no-log", "--no-baud", "--no-reconnect", "--no-x", "y", "--", "--no-raw"])
    #expect(words.keys == ["hex", "log", "baud"])
    #expect(words.arguments == ["--no-reconnect", "--no-x", "y", "--", "--no-raw"])
  }
}
