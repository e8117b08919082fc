import ArgumentParser
import EventLoop
import Loopback
import SystemPackage
import TerminalFrontEnd

/// `serialterm replay`: plays a log as a pseudo-terminal.
struct ReplayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a log through a pseudo-terminal.",
    discussion: """
      Prints the path of a pseudo-terminal, waits until a program opens it, and writes to it what \
      the device sent, at the pace of the log. Use it to test a parser without the board. The log \
      is in JSON lines or pcapng (see --log-format of connect). Ends when everything was read. Of a \
      log of several ports, one is played.

      EXAMPLE:
        serialterm connect /dev/ttyUSB0 --log board.jsonl
        serialterm replay board.jsonl --link /tmp/board &
        my-parser /tmp/board
      """)

  @Argument(
    help: ArgumentHelp("The log; - for standard input.", valueName: "file"), completion: .file())
  var file: String

  @Option(help: "The port to play, of a log of several.")
  var port: String?

  @Option(help: "Factor of the pace: 10 is ten times as fast.")
  var speed = 1.0

  @Option(help: "Make a symbolic link to the pseudo-terminal.")
  var link: String?

  @Flag(name: .customLong("loop"), help: "Start again at the end of the log, until a signal.")
  var repeats = false

  func validate() throws {
    guard (0.001...1_000_000).contains(speed) else {
      throw ValidationError("'--speed \(speed)': expected a number from 0.001 to 1000000")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let loop = try IOLoop()
    var outcome: Result<ExitStatus, Failure>?
    let signals = try loop.watchSignals(ExitStatus.endingSignals) {
      outcome = .success(.signal($0))
    }
    let log: FilePath = file == "-" ? "/dev/stdin" : FilePath(file)
    let replayer = try Replayer(log, port: port, speed: speed, repeats: repeats, on: loop)
    replayer.onEnd = { outcome = $0 }
    let stableLink: StableLink?
    do throws(StableLinkError) {
      stableLink = try link.map { path throws(StableLinkError) in
        try StableLink(at: FilePath(path), to: replayer.path)
      }
    } catch {
      throw Failure(.otherFailure, "--link \(error)")
    }
    try StandardStream.output.print("\(replayer.path)\n")
    while outcome == nil { try loop.turn() }
    withExtendedLifetime((signals, replayer, stableLink)) {}
    return try outcome!.get()
  }
}
