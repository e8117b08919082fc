import ArgumentParser
import EventLoop
import Loopback
import SerialCore
import SystemPackage
import TerminalFrontEnd

/// `serialterm loopback`: a pseudo-terminal to test against.
struct LoopbackCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "loopback",
    abstract: "Make a pseudo-terminal to test against; no hardware is needed.",
    discussion: """
      Prints the node's path and serves it until it is ended by a signal. It echoes, unless --pair \
      or --board is given. Faults can be injected to see how a program takes them.

      EXAMPLE:
        serialterm loopback --board --link /tmp/board &
        serialterm connect /tmp/board
      """)

  @Flag(help: "Two nodes, wired back to back.")
  var pair = false

  @Flag(help: "A small simulated board, with a prompt.")
  var board = false

  @Option(help: "A symbolic link to the node; with --pair, give one for each node.")
  var link: [String] = []

  @Option(
    help: "Pace the bytes as a line of this baud rate would.",
    transform: { try LineSettings.baudRate(parsing: $0) })
  var rate: UInt32?

  @Option(help: "How probable it is that a byte is lost, 0 to 1.")
  var drop = 0.0

  @Option(help: "How probable it is that a bit of a byte is flipped, 0 to 1.")
  var corrupt = 0.0

  @Option(help: "Where the faults' random numbers begin.")
  var seed: UInt64 = 1

  @Option(help: "Hang up and end when so many bytes have passed, both directions together.")
  var hangUpAfter: Int?

  func validate() throws {
    if pair && board { throw ValidationError("--pair and --board exclude each other") }
    let most = pair ? 2 : 1
    if link.count > most {
      throw ValidationError("--link was given \(link.count) times; there are \(most) nodes to link")
    }
    for (name, value) in [("drop", drop), ("corrupt", corrupt)] where !(0...1).contains(value) {
      throw ValidationError("'--\(name) \(value)': expected a probability from 0 to 1")
    }
    if let hangUpAfter, hangUpAfter < 1 {
      throw ValidationError("'--hang-up-after \(hangUpAfter)': expected 1 or more bytes")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let loop = try IOLoop()
    var outcome: Result<ExitStatus, Failure>?
    let signals = try loop.watchSignals(ExitStatus.endingSignals) {
      outcome = .success(.signal($0))
    }
    let server = try Server(self, on: loop) { outcome = $0 }
    let links = try zip(link, server.paths).map { link, node in
      do throws(StableLinkError) {
        return try StableLink(at: FilePath(link), to: node)
      } catch {
        throw Failure(.otherFailure, "--link \(error)")
      }
    }
    try StandardStream.output.print(server.paths.map { "\($0)\n" }.joined())
    while outcome == nil { try loop.turn() }
    withExtendedLifetime((signals, server, links)) {}
    return try outcome!.get()
  }

  fileprivate var options: LoopbackOptions {
    var options = LoopbackOptions()
    options.baudRate = rate
    options.dropProbability = drop
    options.corruptProbability = corrupt
    options.seed = seed
    options.hangUpAfter = hangUpAfter
    return options
  }
}

/// What is being served: one port or a pair.
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
    if command.pair {
      let pair = try LoopbackPair(options: command.options, on: loop)
      pair.onHangUp = onHangUp
      self = .pair(pair)
    } else {
      let device: any SimulatedDevice = command.board ? Board() : EchoDevice()
      let port = try LoopbackPort(device, options: command.options, on: loop)
      port.onHangUp = onHangUp
      self = .port(port)
    }
  }

  var paths: [FilePath] {
    switch self {
    case .port(let port): [port.path]
    case .pair(let pair): [pair.paths.first, pair.paths.second]
    }
  }
}
