import ArgumentParser
import Testing

@testable import serialterm

@Suite("Advice for wrong usage")
struct UsageAdviceTests {
  private func message(_ text: String, _ arguments: [String]) -> String {
    UsageAdvice.message(for: text, arguments: arguments, subcommands: ["connect", "send", "list"])
  }

  @Test("the help of the command that was used, which lists its options")
  func help() {
    #expect(message("Wrong", ["send", "x"]) == "Wrong. See 'serialterm send --help'.")
    #expect(message("Did you?", ["ttyUSB0"]) == "Did you? See 'serialterm connect --help'.")
    #expect(message("Wrong.", []) == "Wrong. See 'serialterm connect --help'.")
  }

  @Test("names of options that other programs use")
  func otherNames() {
    #expect(
      message("Unknown option '--baudrate'. Did you mean '--rts'?", ["--baudrate", "9600"])
        == "Unknown option '--baudrate': use --baud. See 'serialterm connect --help'.")
    #expect(
      message("Unknown option '--x'. Did you mean '--y'?", ["--x"])
        == "Unknown option '--x'. Did you mean '--y'? See 'serialterm connect --help'.")
  }

  @Test("a malformed TARGET is named once")
  func target() {
    #expect(
      message("The value 'usb:x' is invalid for '<target>': 'usb:x': wrong", ["usb:x"])
        == "'usb:x': wrong. See 'serialterm connect --help'.")
  }

  @Test("a number after the device is a baud rate")
  func number() {
    #expect(
      message("Unexpected argument '9600'", ["ttyUSB0", "9600"])
        == "Unexpected argument '9600': for the baud rate use --baud 9600."
        + " See 'serialterm connect --help'.")
    #expect(
      message("Unexpected argument 'b'", ["a", "b"])
        == "Unexpected argument 'b'. See 'serialterm connect --help'.")
    #expect(
      message("Unexpected argument '9'", ["list", "9"])
        == "Unexpected argument '9'. See 'serialterm list --help'.")
  }

  @Test(
    "a misspelt command is recognised by the argument that then is one too many",
    arguments: ["conect", "connnect", "connetc", "connext"])
  func misspeltCommand(word: String) {
    #expect(
      message("Unexpected argument 'ttyUSB0'", [word, "ttyUSB0"])
        == "Unexpected argument 'ttyUSB0': '\(word)' is not a command; did you mean 'connect'?"
        + " See 'serialterm connect --help'.")
  }

  @Test("several devices that are absent are not what another word was meant as")
  func absentDevices() {
    let devices = ["ttyUSB0", "ttyUSB1"]
    #expect(
      UsageAdvice.message(
        forTargets: devices, arguments: ["connect"] + devices, subcommands: ["connect", "list"])
        == nil)
    #expect(
      UsageAdvice.message(
        forTargets: ["ttyUSB0", "9600"], arguments: ["connect", "ttyUSB0", "9600"],
        subcommands: ["connect", "list"])?.contains("use --baud 9600") == true)
  }

  @Test("a wrong prefix key is answered with the right ones")
  func prefixKey() throws {
    let error = #expect(throws: (any Error).self) { try ConnectCommand.parse(["--prefix", "F1"]) }
    let text = ConnectCommand.message(for: try #require(error))
    #expect(message(text, ["--prefix", "F1"]).contains("expected ctrl-a to ctrl-z, or none. See"))
  }

  @Test("an unknown time format is answered with the formats")
  func timeFormat() {
    #expect(
      message("Unexpected argument 'noon'", ["ttyUSB0", "-t", "noon"]).contains("iso, delta"))
  }

  @Test("the advice names options and commands that exist, instead of options that do not")
  func table() throws {
    let known = Set(
      ConnectCommand.helpMessage().matches(of: #/--?[a-zA-Z0-9-]+/#).map { String($0.output) })
    let commands = Set(Serialterm.configuration.subcommands.map { $0._commandName })
    for (option, advice) in UsageAdvice.otherNames {
      #expect(!known.contains(option), "\(option)")
      let command = advice.firstMatch(of: #/serialterm ([a-z]+)/#)
      if let command { #expect(commands.contains(String(command.output.1)), "\(advice)") }
      let help =
        command?.output.1 == "send" ? SendCommand.helpMessage() : ConnectCommand.helpMessage()
      for named in advice.matches(of: #/--[a-z0-9-]+/#) {
        #expect(help.contains(named.output), "\(advice)")
      }
    }
  }
}
