import ArgumentParser
import EventLoop
import Loopback
import SystemPackage

/// `serialterm replay`: a log, played as if its device was there.
struct ReplayCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a log to a pseudo-terminal, as the device sent it.",
    discussion: """
      Prints the node's path, waits until a program opens it, and sends it what the device sent, at \
      the pace at which it came: a parser can be tested without the board. The log is one of JSON \
      lines or pcapng (see --log-format of connect). It ends when all has been read, or by a signal.

      EXAMPLE:
        serialterm connect /dev/ttyUSB0 --log board.jsonl
        serialterm replay board.jsonl --link /tmp/board &
        my-parser /tmp/board
      """)

  @Argument(help: ArgumentHelp("The log.", valueName: "file"))
  var file: String

  @Option(help: "How many times as fast as it was: 10, 0.5.")
  var speed = 1.0

  @Option(help: "A symbolic link to the node.")
  var link: String?

  @Flag(name: .customLong("loop"), help: "Begin again at the end, until a signal comes.")
  var repeats = false

  func validate() throws {
    guard (0.001...1_000_000).contains(speed) else {
      throw ValidationError("'--speed \(speed)': expected a number from 0.001 to 1000000")
    }
  }

  func execute() throws -> ExitStatus {
    let loop = try EventLoop()
    var outcome: Result<ExitStatus, Failure>?
    let signals = try loop.watchSignals(ExitStatus.endingSignals) {
      outcome = .success(.signal($0))
    }
    let replayer = try Replayer(FilePath(file), speed: speed, repeats: repeats, on: loop)
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
