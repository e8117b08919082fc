import EventLoop
import Loopback
import Options
import Posix
import SerialCore
import SystemPackage
import Terminal
import TextTools

/// `serialterm loopback`: creates a pseudo-terminal to test with.
struct LoopbackCommand: Subcommand {
  private static let pair = Parameter.flag("pair", "Two nodes, wired back to back.")
  private static let board = Parameter.flag("board", "A small simulated board, with a prompt.")
  private static let link = Parameter<[String]>.list(
    "link", "PATH", "A symbolic link to the node; with --pair, give one for each node.",
    completion: .files, parse: { $0 })
  private static let rate = Parameter<UInt32?>.option(
    "rate", "BAUD", "Pace the bytes as a line of this baud rate would.",
    parse: { try LineSettings.baudRate(parsing: $0) })
  private static let drop = probability(
    "drop", "The probability that a byte is lost, 0 to 1.")
  private static let corrupt = probability(
    "corrupt", "The probability that a bit of a byte is flipped, 0 to 1.")
  private static let seed = Parameter<UInt64>.option(
    "seed", "NUMBER", "The seed of the random faults.", standard: 1, shown: "1",
    parse: { text in
      guard let number = UInt64(text) else {
        throw ValueError(text, expected: "a whole number from 0 to \(UInt64.max)")
      }
      return number
    })
  private static let hangUpAfter = Parameter<Int?>.option(
    "hang-up-after", "BYTES",
    "Hang up and end after this number of bytes, both directions together.",
    parse: { try Int.number($0, of: "bytes", in: 1...Int.max) })

  static let description = CommandDescription(
    "loopback", "Make a pseudo-terminal to test against; no hardware is needed.",
    """
    Prints the node's path and serves it until it is ended by a signal. It echoes, unless --pair or \
    --board is given. Faults can be injected to test how a program handles them.
    """,
    example: """
      serialterm loopback --board --link /tmp/board &
      serialterm connect /tmp/board
      """,
    sections: [
      ParameterSection("OPTIONS", [pair, board, link, rate]),
      ParameterSection("FAULTS", [drop, corrupt, seed, hangUpAfter]),
    ])

  private static func probability(_ name: String, _ summary: String) -> Parameter<Double> {
    .option(
      name, "P", summary, standard: 0, shown: "0",
      parse: { try .number($0, of: "a probability", in: 0...1) })
  }

  private let values: Values

  init(_ values: Values) throws(UsageError) {
    self.values = values
    if values[Self.pair] && values[Self.board] {
      throw UsageError("--pair and --board exclude each other")
    }
    let (links, most) = (values[Self.link].count, values[Self.pair] ? 2 : 1)
    if links > most {
      throw UsageError("--link was given \(links) times; \(most.counted("node")) can be linked")
    }
  }

  fileprivate var isPair: Bool { values[Self.pair] }
  fileprivate var isBoard: Bool { values[Self.board] }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let loop = try IOLoop()
    var outcome: Result<ExitStatus, Failure>?
    let signals = try loop.watchSignals(ExitStatus.endingSignals) {
      outcome = .success(.signal($0))
    }
    let server = try Server(self, on: loop) { outcome = $0 }
    let links = try zip(values[Self.link], server.paths).map { link, node in
      do throws(StableLinkError) {
        return try StableLink(at: FilePath(link), to: node)
      } catch {
        throw Failure(.otherFailure, "--link \(error)")
      }
    }
    try StandardStream.output.print(server.paths.map { "\($0)\n" }.joined())
    if FileDescriptor.standardOutput.isTerminal, FileDescriptor.standardError.isTerminal {
      let board = values[Self.board] ? "" : " A board to talk to is 'serialterm loopback:board'."
      StandardStream.complain("a simulated port for other programs; ctrl-c ends it.\(board)")
    }
    while outcome == nil { try loop.turn() }
    withExtendedLifetime((signals, server, links)) {}
    return try outcome!.get()
  }

  fileprivate var options: LoopbackOptions {
    var options = LoopbackOptions()
    options.baudRate = values[Self.rate]
    options.dropProbability = values[Self.drop]
    options.corruptProbability = values[Self.corrupt]
    options.seed = values[Self.seed]
    options.hangUpAfter = values[Self.hangUpAfter]
    return options
  }
}

/// The simulation: one port or a pair.
private enum Server {
  case port(LoopbackPort)
  case pair(LoopbackPair)

  init(
    _ command: LoopbackCommand, on loop: IOLoop,
    onEnd: @escaping (Result<ExitStatus, Failure>) -> Void
  ) throws(Errno) {
    let onHangUp: (LoopbackHangUp) -> Void = { reason in
      switch reason {
      case .limitReached: onEnd(.success(.done))
      case .failed(let errno): onEnd(.failure(Failure(.otherFailure, "the loopback: \(errno)")))
      }
    }
    if command.isPair {
      self = .pair(try LoopbackPair(options: command.options, on: loop, onHangUp: onHangUp))
    } else {
      let device: any SimulatedDevice = command.isBoard ? Board() : EchoDevice()
      self = .port(
        try LoopbackPort(device, options: command.options, on: loop, onHangUp: onHangUp))
    }
  }

  var paths: [FilePath] {
    switch self {
    case .port(let port): [port.path]
    case .pair(let pair): [pair.paths.first, pair.paths.second]
    }
  }
}
