import Testing

@testable import Telnet

@Suite(.timeLimit(.minutes(30))) struct ComPortServerTests {
  private static let wanted = ComPortClient.Settings(
    baudRate: 57_600, dataSize: 7, parity: .even, stopSize: 2, flow: .hardwareFlow)

  /// A client and a server whose port fulfils all requests.
  private struct Pair {
    var client = ComPortClient(ComPortServerTests.wanted)
    var server: ComPortServer
    var port = ComPortServer.Port(
      settings: ComPortClient.Settings(
        baudRate: 9_600, dataSize: 8, parity: .none, stopSize: 1, flow: .noFlow),
      isDTROn: false, isRTSOn: true)
    var events: [ComPortClient.Event] = []
    var served: [ComPortServer.Event] = []
    /// The data that each side has received.
    var atClient: [UInt8] = []
    var atServer: [UInt8] = []
    /// Whether the port refuses to change its rate.
    var hasFixedRate = false

    init(offersPort: Bool = true) {
      server = ComPortServer(signature: "serialterm test", offersPort: offersPort)
    }

    /// Passes bytes in both directions until both sides are silent.
    mutating func talk(inPiecesOf size: Int = .max) {
      while !client.output.isEmpty || !server.output.isEmpty {
        var toServer = client.output[...]
        client.output = []
        while !toServer.isEmpty {
          let new = toServer.prefix(size).withUnsafeBytes { server.receive($0, into: &atServer) }
          toServer = toServer.dropFirst(size)
          served += new
          for case .asked(let message) in new { perform(message) }
        }
        var toClient = server.output[...]
        server.output = []
        while !toClient.isEmpty {
          events += toClient.prefix(size).withUnsafeBytes { client.receive($0, into: &atClient) }
          toClient = toClient.dropFirst(size)
        }
      }
    }

    private mutating func perform(_ message: ComPortMessage) {
      switch message {
      case .baudRate(let rate) where rate > 0: if !hasFixedRate { port.settings.baudRate = rate }
      case .dataSize(let size) where size > 0: port.settings.dataSize = size
      case .parity(let number): port.settings.parity = ComPortParity(rawValue: number) ?? .none
      case .stopSize(let size) where size > 0: port.settings.stopSize = size
      case .control(let control):
        switch control {
        case .noFlow, .softwareFlow, .hardwareFlow: port.settings.flow = control
        case .dtrOn, .dtrOff: port.isDTROn = control == .dtrOn
        case .rtsOn, .rtsOff: port.isRTSOn = control == .rtsOn
        case .breakOn, .breakOff: port.isBreaking = control == .breakOn
        default: break
        }
      default: break
      }
      server.answer(message, with: port)
    }

    /// Opens the port.
    mutating func open(setting outputs: [ComPortClient.Line: Bool] = [:], inPiecesOf size: Int) {
      server.open()
      client.open(setting: outputs)
      talk(inPiecesOf: size)
    }
  }

  @Test(arguments: [1, 2, 7, 1_000])
  func ourClient_opensThePort_withItsSettings(_ size: Int) {
    var pair = Pair()
    pair.open(setting: [.dtr: true], inPiecesOf: size)
    #expect(pair.client.state == .open)
    #expect(pair.served.contains(.began) && pair.server.hasBegun)
    #expect(pair.port.settings == Self.wanted && pair.port.isDTROn)
    #expect(pair.client.outputs == [.dtr: true, .rts: true])
    #expect(pair.events.contains(.opened))
  }

  @Test func anAnswer_isTheStateOfThePort_notTheWish() {
    var pair = Pair()
    pair.hasFixedRate = true
    pair.open(inPiecesOf: 1_000)
    #expect(pair.client.settings.baudRate == 9_600)
    #expect(pair.client.settings.dataSize == 7)
  }

  @Test(arguments: [1, 3, 10_000])
  func everyByte_passesBothWays(_ size: Int) {
    var pair = Pair()
    pair.open(inPiecesOf: 1_000)
    let all: [UInt8] = (0..<2_560).map { UInt8($0 % 256) } + [255, 255, 13, 0, 255]
    var (toServer, toClient) = ([UInt8](), [UInt8]())
    all.withUnsafeBytes {
      pair.client.encode($0, into: &toServer, isEnd: true)
      pair.server.encode($0, into: &toClient)
    }
    while !toServer.isEmpty {
      _ = toServer.prefix(size).withUnsafeBytes { pair.server.receive($0, into: &pair.atServer) }
      toServer.removeFirst(min(size, toServer.count))
    }
    while !toClient.isEmpty {
      _ = toClient.prefix(size).withUnsafeBytes { pair.client.receive($0, into: &pair.atClient) }
      toClient.removeFirst(min(size, toClient.count))
    }
    #expect(pair.atServer == all && pair.atClient == all)
  }

  @Test func lines_areReported_whenTheyChange_asFarAsTheClientWants() {
    var pair = Pair()
    pair.server.report(ComPortModemState.cts)
    pair.open(inPiecesOf: 1_000)
    // A client cannot query the lines. It gets them at the beginning, and after its mask.
    #expect(pair.client.modemState == [.cts])
    var late = ComPortServer(signature: "x")
    var data: [UInt8] = []
    _ = ([255, 251, 44] as [UInt8]).withUnsafeBytes { late.receive($0, into: &data) }
    late.output = []
    late.report(ComPortModemState.dsr)
    #expect(late.output == [255, 250, 44, 107, 32, 255, 240])
    pair.server.report([.cts, .dcd])
    pair.talk()
    #expect(pair.client.modemState == [.cts, .dcd])
    pair.server.report([.cts, .dcd])
    #expect(pair.server.output.isEmpty)
    let mask = ComPortMessage.modemStateMask(0).parameters(fromServer: false)
    _ = ([255, 250, 44] + mask + [255, 240]).withUnsafeBytes {
      pair.server.receive($0, into: &pair.atServer)
    }
    pair.server.output = []
    pair.server.report(ComPortModemState())
    #expect(pair.server.output.isEmpty)
  }

  @Test func errorsOfTheLine_areReported_ifTheClientWantsThem() {
    var pair = Pair()
    pair.server.report(ComPortLineState.framingError)
    #expect(pair.server.output.isEmpty)
    pair.open(inPiecesOf: 1_000)
    pair.server.report([.framingError, .breakDetected, .dataReady])
    pair.talk()
    #expect(pair.events.last == .lineErrors([.framingError, .breakDetected]))
  }

  @Test func theBreakOfTelnet_isPassedOn_andSuspendingToo() {
    var pair = Pair()
    pair.open(inPiecesOf: 1_000)
    pair.served = []
    let bytes: [UInt8] = [255, 243, 255, 250, 44, 8, 255, 240, 255, 250, 44, 9, 255, 240]
    let events = bytes.withUnsafeBytes { pair.server.receive($0, into: &pair.atServer) }
    #expect(events == [.breakRequested, .sendingPermitted(false), .sendingPermitted(true)])
  }

  @Test func aClientThatAsksForTheName_getsIt_andTellsItsOwn() {
    var server = ComPortServer(signature: "serialterm test")
    var data: [UInt8] = []
    let bytes: [UInt8] = [255, 250, 44, 0, 255, 240, 255, 250, 44, 0, 0x78, 255, 240]
    _ = bytes.withUnsafeBytes { server.receive($0, into: &data) }
    // The first message is the beginning for a client that sends no other answer. The server also
    // sends its signature then.
    let answer = [255, 250, 44, 100] + Array("serialterm test".utf8) + [255, 240]
    #expect(server.output == answer + answer)
    #expect(data.isEmpty)
  }

  @Test func aClientThatSaysWhoItIs_isOpen_whenItKnowsWhoMayWrite() {
    var pair = Pair()
    pair.client = ComPortClient(Self.wanted, saying: .hello(.init(name: "max"), isViewer: false))
    pair.open(inPiecesOf: 1)
    #expect(pair.served.contains(.shared(.hello(.init(name: "max"), isViewer: false))))
    #expect(!pair.events.contains(.opened))
    pair.server.send(.pen(1, .taken))
    pair.server.send(.port(.open, name: "board"))
    pair.talk()
    #expect(
      pair.events.suffix(3) == [
        .shared(.pen(1, .taken)), .opened, .shared(.port(.open, name: "board")),
      ])
  }

  @Test func aServerThatKeepsSilentAboutThePeople_isWaitedForOnce() {
    var pair = Pair()
    pair.client = ComPortClient(Self.wanted, saying: .hello(.init(name: "max"), isViewer: false))
    pair.open(inPiecesOf: 1)
    #expect(pair.client.isWaiting)
    #expect(pair.client.giveUp() == [.opened])
  }

  @Test func aSequence_isTheServers_ifItIsOurs() {
    var pair = Pair()
    pair.open(inPiecesOf: 1)
    #expect(pair.client.playsSequences)
    pair.served = []
    pair.client.play(Array("dtr=off,wait=100".utf8))
    let request = pair.client.output
    pair.client.output = []
    let events = request.withUnsafeBytes { pair.server.receive($0, into: &pair.atServer) }
    #expect(events == [.asked(.sequence(Array("dtr=off,wait=100".utf8)))])
    pair.server.sequenceEnded(because: "")
    pair.server.sequenceEnded(because: String(repeating: "x", count: 1_000))
    pair.talk()
    #expect(
      pair.events.suffix(2) == [
        .played(reason: []), .played(reason: [UInt8](repeating: 0x78, count: 240)),
      ])
    // A different server, which answers every message.
    var client = ComPortClient(Self.wanted)
    client.open()
    var data: [UInt8] = []
    let signature = ComPortMessage.signature(Array("ser2net".utf8)).parameters(fromServer: true)
    _ = ([255, 253, 44, 255, 250, 44] + signature + [255, 240]).withUnsafeBytes {
      client.receive($0, into: &data)
    }
    #expect(!client.playsSequences)
  }

  @Test func aServerOfTelnetAlone_refusesTheOption() {
    var pair = Pair(offersPort: false)
    pair.open(inPiecesOf: 1_000)
    #expect(pair.client.state == .refused(.noComPort))
    #expect(!pair.server.hasBegun)
  }

  @Test func whateverAClientSends_theAnswersAreBounded() {
    var random = Generator(state: 7)
    for _ in 0..<300 {
      var server = ComPortServer(signature: "x")
      var (data, count) = ([UInt8](), 0)
      let bytes = (0..<400).map { _ -> UInt8 in
        [255, 250, 240, 253, 251, 44, 0, 1, 5, 10, 12][random.below(11)]
      }
      for piece in [bytes[..<100], bytes[100...]] {
        let events = piece.withUnsafeBytes { server.receive($0, into: &data) }
        for case .asked(let message) in events {
          server.answer(
            message,
            with: ComPortServer.Port(settings: Self.wanted, isDTROn: true, isRTSOn: true))
        }
        count += server.output.count
        server.output = []
      }
      // A message of at least five bytes has an answer of at most twelve.
      #expect(count <= 400 * 3)
    }
  }
}
