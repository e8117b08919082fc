import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct BoardCommandTests {
  private static let understood: [(String, BoardCommand?)] = [
    ("", nil),
    ("   ", nil),
    ("help", .help),
    ("  uptime  ", .uptime),
    ("temp", .temperature),
    ("version", .version),
    ("reboot", .reboot),
    ("led", .led(nil)),
    ("led on", .led(true)),
    ("led  off", .led(false)),
    ("echo", .echo([])),
    ("echo  two  spaces ", .echo(Array(" two  spaces ".utf8))),
    ("  echo x", .echo(Array("x".utf8))),
    ("stream 1 1", .stream(count: 1, hertz: 1)),
    ("stream 1000000 10000", .stream(count: 1_000_000, hertz: 10_000)),
    ("sensor 300 10", .sensor(count: 300, hertz: 10)),
  ]

  @Test(arguments: understood)
  func line_isUnderstood(line: String, command: BoardCommand?) throws {
    #expect(try BoardCommand.parse(Array(line.utf8)) == command)
  }

  @Test(arguments: [
    ("halp", "unknown command 'halp'; try help"),
    ("HELP", "unknown command 'HELP'; try help"),
    ("help me", "usage: help"),
    ("uptime 1", "usage: uptime"),
    ("led maybe", "usage: led [on|off]"),
    ("led on off", "usage: led [on|off]"),
    ("stream", "usage: stream N HZ"),
    ("stream 5", "usage: stream N HZ"),
    ("stream 0 5", "stream: N must be a number from 1 to 1000000"),
    ("stream 1000001 5", "stream: N must be a number from 1 to 1000000"),
    ("stream x 5", "stream: N must be a number from 1 to 1000000"),
    ("stream 99999999999999999999 5", "stream: N must be a number from 1 to 1000000"),
    ("stream 5 0", "stream: HZ must be a number from 1 to 10000"),
    ("stream 5 -3", "stream: HZ must be a number from 1 to 10000"),
    ("stream 5 10001", "stream: HZ must be a number from 1 to 10000"),
    ("sensor", "usage: sensor N HZ"),
    ("sensor 0 5", "sensor: N must be a number from 1 to 1000000"),
  ])
  func unknownCommand_isAnsweredWithTheValidOnes(line: String, answer: String) {
    #expect(throws: BoardCommand.Complaint(text: answer)) {
      try BoardCommand.parse(Array(line.utf8))
    }
  }
}
