import EventLoop
import Logs
import Loopback
import Options
import SystemPackage
import Terminal
import TextStages

/// `serialterm replay`: plays a log on a pseudo-terminal.
struct ReplayCommand: Subcommand {
  private static let file = Parameter<String>.argument(
    "file", "The log; - for standard input.", completion: .files, standard: "", parse: { $0 })
  private static let port = Parameter<String?>.option(
    "port", "NAME", "The port to play, of a log of several.", parse: { $0 })
  private static let speed = Parameter<Double>.option(
    "speed", "FACTOR", "Factor of the pace: 10 is ten times as fast.", standard: 1, shown: "1",
    parse: { try .number($0, of: "a number", in: 0.001...1_000_000) })
  private static let link = Parameter<String?>.option(
    "link", "PATH", "Make a symbolic link to the pseudo-terminal.", completion: .files,
    parse: { $0 })
  private static let loop = Parameter.flag(
    "loop", "Start again at the end of the log, until a signal.")

  /// The formats with records, and their suffixes where they have other names.
  private static let formats = LogFormat.withRecords.alternatives { format in
    format.suffix == ".\(format.title)" ? format.title : "\(format.title) (\(format.suffix))"
  }

  static let description = CommandDescription(
    "replay", "Play a log through a pseudo-terminal.",
    """
    Prints the path of a pseudo-terminal, waits until a program opens it, and writes to it what the \
    device sent, at the pace of the log. Use it to test a parser without the board. The log is in \
    \(formats), or text with times (.txt), which has lost line ends and control characters; \
    a raw log has no times. Ends when everything was read. Of a log of several ports, one is played. With \
    --frames, the frames in the log are printed at once, and nothing is played; with --elf, its text with \
    the source lines of addresses.
    """,
    example: """
      serialterm connect /dev/ttyUSB0 --log board.jsonl
      serialterm replay board.jsonl --link /tmp/board &
      my-parser /tmp/board
      serialterm replay bus.jsonl --frames modbus-rtu
      """,
    sections: [
      ParameterSection("ARGUMENTS", [file]),
      ParameterSection(
        "OPTIONS",
        [
          port, speed, link, loop, ViewParameters.frames, ViewParameters.timestamps,
          SymbolParameters.elf, SymbolParameters.addr2line,
        ]),
    ])

  private let values: Values

  init(_ values: Values) throws(UsageError) {
    self.values = values
    let listing = values[SymbolParameters.elf].isEmpty ? "frames" : "elf"
    if listing == "elf", values[ViewParameters.frames] != nil {
      throw UsageError(about: ["elf", "frames"], "--elf prints text, --frames prints frames")
    }
    if values[ViewParameters.frames] == nil {
      if values[ViewParameters.timestamps] != nil {
        throw UsageError("--timestamps is for --frames: what is played is not changed")
      }
      if listing == "frames" { return }
    }
    for played in ["speed", "link", "loop"] where values.given[played] != nil {
      throw UsageError("--\(listing) prints the log, and --\(played) is for playing it")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if let form = values[ViewParameters.frames] {
      var listing = FrameListing(
        path, form, port: values[Self.port],
        timestamps: values[ViewParameters.timestamps] ?? TimestampFormat(.iso))
      try listing.print()
      return .done
    }
    guard values[SymbolParameters.elf].isEmpty else {
      try SymbolizeCommand.print(
        logOf: path, port: values[Self.port], with: SymbolListing(values.symbolFiles))
      return .done
    }
    let loop = try IOLoop()
    var signal: CInt?
    let signals = try loop.watchSignals(ExitStatus.endingSignals) { signal = $0 }
    let replayer = try Replayer(
      path, port: values[Self.port], speed: values[Self.speed], repeats: values[Self.loop], on: loop
    )
    let stableLink: StableLink?
    do throws(StableLinkError) {
      stableLink = try values[Self.link].map { path throws(StableLinkError) in
        try StableLink(at: FilePath(path), to: replayer.path)
      }
    } catch {
      throw Failure(.otherFailure, "--link \(error)")
    }
    try StandardStream.output.print("\(replayer.path)\n")
    while signal == nil, replayer.outcome == nil { try loop.turn() }
    withExtendedLifetime((signals, replayer, stableLink)) {}
    return try signal.map { .signal($0) } ?? replayer.outcome!.get()
  }

  private var path: FilePath {
    let file = values[Self.file]
    return file == "-" ? "/dev/stdin" : FilePath(file)
  }
}
