import Testing

@testable import Telnet

@Suite(.timeLimit(.minutes(30))) struct ComPortClientTests {
  private static let wanted = ComPortClient.Settings(
    baudRate: 115_200, dataSize: 8, parity: .none, stopSize: 1, flow: .noFlow)

  /// A server whose answers the test controls.
  private struct Server {
    var telnet = TelnetMachine(
      accepting: [.binary, .suppressGoAhead], from: [.binary, .suppressGoAhead, .comPort])
    var messages: [ComPortMessage] = []
    var data: [UInt8] = []
    /// The answer to a message; nil for none.
    var answer: (ComPortMessage) -> ComPortMessage? = { $0 }

    mutating func receive(_ bytes: [UInt8]) {
      let (data, events) = telnet.receive(bytes)
      self.data += data
      for case .subnegotiation(.comPort, let parameters) in events {
        guard let message = ComPortMessage(parameters, fromServer: false) else { continue }
        messages.append(message)
        if let answer = answer(message) { send(answer) }
      }
    }

    mutating func send(_ message: ComPortMessage) {
      telnet.send(message.parameters(fromServer: true), about: .comPort)
    }
  }

  /// Passes bytes in both directions until both sides are silent. Returns the client's events.
  private func talk(
    _ client: inout ComPortClient, _ server: inout Server, inPiecesOf size: Int = .max
  ) -> [ComPortClient.Event] {
    var events: [ComPortClient.Event] = []
    var data: [UInt8] = []
    while !client.output.isEmpty || !server.telnet.output.isEmpty {
      let bytes = client.output
      client.output = []
      server.receive(bytes)
      var answer = server.telnet.takeOutput()[...]
      while !answer.isEmpty {
        events += answer.prefix(size).withUnsafeBytes { client.receive($0, into: &data) }
        answer = answer.dropFirst(size)
      }
    }
    return events
  }

  /// A client of telnet alone, and what it asks.
  private func telnetClient(in window: ComPortClient.WindowSize? = nil) -> ComPortClient {
    var client = ComPortClient(Self.wanted, setsLine: false, windowSize: window)
    client.open()
    #expect(
      client.output == [
        255, 251, 0, 255, 253, 0, 255, 253, 3, 255, 251, 3,
      ])
    client.output = []
    return client
  }

  private func receive(_ bytes: [UInt8], _ client: inout ComPortClient) -> [ComPortClient.Event] {
    var data: [UInt8] = []
    return bytes.withUnsafeBytes { client.receive($0, into: &data) }
  }

  @Test func `With telnet alone the first command opens, and a break is IAC BRK`() {
    var client = telnetClient()
    #expect(receive(Array("busy?".utf8), &client).isEmpty && client.isWaiting)
    #expect(receive([255, 251, 1], &client) == [.opened])
    #expect(client.state == .open && !client.isWaiting)
    client.output = []
    client.setBreak(true)
    client.setBreak(false)
    #expect(client.output == [255, 243])
    var bytes: [UInt8] = []
    for text in ["a\r\n", "\r", "b"] {
      Array(text.utf8).withUnsafeBytes { client.encode($0, into: &bytes, isEnd: true) }
    }
    #expect(bytes == Array("a\r\n\r\u{0}b".utf8))
  }

  @Test func `Telnet alone is open at a server that answers nothing, which is reported`() {
    var client = telnetClient()
    #expect(client.giveUp() == [.opened, .speaks(.raw)])
    #expect(client.giveUp().isEmpty)
    #expect(receive([255, 253, 0, 255, 253, 44], &client) == [.speaks(.rfc2217)])
    #expect(client.output == [255, 252, 44])
  }

  @Test func `A server that asks gets the size of the window, and each other one`() {
    var client = telnetClient(in: .init(columns: 80, rows: 24))
    client.windowSize = .init(columns: 255, rows: 70_000)
    #expect(client.output.isEmpty)
    _ = receive([255, 253, 31], &client)
    let size: [UInt8] = [255, 250, 31, 0, 255, 255, 255, 255, 255, 255, 255, 240]
    #expect(client.output == [255, 251, 31] + size)
    client.output = []
    client.windowSize = .init(columns: 255, rows: 70_000)
    #expect(client.output.isEmpty)
    client.windowSize = .init(columns: 81, rows: 24)
    #expect(client.output == [255, 250, 31, 0, 81, 0, 24, 255, 240])
    var other = telnetClient()
    _ = receive([255, 253, 31], &other)
    #expect(other.output == [255, 252, 31])
  }

  private func opened(_ server: inout Server) -> ComPortClient {
    var client = ComPortClient(Self.wanted)
    client.open()
    _ = talk(&client, &server)
    return client
  }

  @Test(arguments: [1, 2, 7, 1_000])
  func aPort_isOpenWhenAllSettingsAreAnswered(_ pieceSize: Int) {
    var (client, server) = (ComPortClient(Self.wanted), Server())
    client.open(setting: [.dtr: false])
    #expect(talk(&client, &server, inPiecesOf: pieceSize).contains(.opened))
    #expect(client.state == .open && client.hasSettings && client.settings == Self.wanted)
    #expect(server.messages.contains(.baudRate(115_200)))
    #expect(server.messages.contains(.control(.dtrOff)))
    #expect(server.messages.contains(.control(.askRTS)))
    #expect(client.outputs[.dtr] == false)
    #expect(!client.isWaiting)
  }

  @Test func aRateThatTheDriverMadeAnother_isTheServers() {
    var server = Server()
    server.answer = { if case .baudRate = $0 { .baudRate(115_207) } else { $0 } }
    let client = opened(&server)
    #expect(client.settings.baudRate == 115_207)
  }

  @Test func aRateWithEscapesInIt_arrives() {
    var server = Server()
    var client = opened(&server)
    var settings = Self.wanted
    settings.baudRate = 0x00FF_FFFF
    _ = client.apply(settings)
    #expect(talk(&client, &server) == [.applied])
    #expect(server.messages.last == .baudRate(0x00FF_FFFF))
  }

  @Test func onlyChangesAreSent_andAnAnswerToAnOlderRequestDoesNotCount() {
    var server = Server()
    var client = opened(&server)
    server.messages = []
    var settings = client.settings
    settings.baudRate = 9_600
    settings.parity = .even
    #expect(client.apply(settings) == [])
    settings.baudRate = 19_200
    #expect(client.apply(settings) == [])
    #expect(talk(&client, &server) == [.applied])
    #expect(
      server.messages == [
        .baudRate(9_600), .parity(ComPortParity.even.rawValue), .baudRate(19_200),
      ])
    #expect(client.settings == settings)
    #expect(client.apply(settings) == [.applied])
  }

  @Test func aServerThatIsSilent_hasNotAnswered() {
    var client = ComPortClient(Self.wanted)
    client.open()
    #expect(client.giveUp() == [.refused(.noAnswer)])
    #expect(client.state == .refused(.noAnswer))
  }

  /// gensiot crashes when its signature is requested; sredird passes on the bytes after
  /// a doubled IAC.
  @Test func opening_asksNothingThatServersGetWrong() {
    var server = Server()
    _ = opened(&server)
    #expect(!server.messages.isEmpty)
    for message in server.messages {
      if case .signature = message { Issue.record("the signature is asked for") }
      #expect(!message.parameters(fromServer: false).contains(0xFF))
    }
  }

  @Test func aServerThatAsksForTheSignature_getsIt() {
    var server = Server()
    var client = opened(&server)
    server.send(.signature([]))
    _ = talk(&client, &server)
    #expect(server.messages.last == .signature(Array("serialterm".utf8)))
  }

  @Test func aServerOfHTTP_isNoTelnet() {
    var client = ComPortClient(Self.wanted)
    client.open()
    var data: [UInt8] = []
    _ = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).withUnsafeBytes {
      client.receive($0, into: &data)
    }
    #expect(client.giveUp() == [.refused(.noTelnet)])
  }

  @Test func aTelnetServerWithoutTheOption_refuses() {
    var client = ComPortClient(Self.wanted)
    client.open()
    var data: [UInt8] = []
    let events = ([255, 254, 44] as [UInt8]).withUnsafeBytes { client.receive($0, into: &data) }
    #expect(events == [.refused(.noComPort)])
  }

  /// sredird answers every SET-CONTROL with 1, and a baud rate with four additional zeros.
  @Test func aSloppyServer_isUnderstood() {
    var server = Server()
    server.answer = { message in
      switch message {
      case .control: .control(.noFlow)
      case .modemStateMask, .lineStateMask, .signature: nil
      default: message
      }
    }
    var client = opened(&server)
    #expect(client.state == .open && client.settings == Self.wanted)
    client.set(.dtr, to: true)
    _ = talk(&client, &server)
    #expect(client.outputs[.dtr] == true)
    #expect(
      ComPortMessage([101, 0, 1, 0xC2, 0, 0, 0, 0, 0], fromServer: true)
        == .baudRate(115_200))
  }

  @Test func aServerThatAnswersNothing_isOpenWithoutSettings() {
    var server = Server()
    server.answer = { _ in nil }
    var client = opened(&server)
    #expect(client.state == .configuring)
    #expect(client.giveUp() == [.opened])
    #expect(!client.hasSettings)
  }

  @Test func linesErrorsAndSuspension_areReported() {
    var server = Server()
    var client = opened(&server)
    server.send(.modemState([.cts, .ctsChanged]))
    server.send(.modemState([.cts]))
    server.send(.lineState([.framingError, .shiftEmpty]))
    server.send(.lineState([.shiftEmpty]))
    server.send(.flowSuspend)
    server.send(.flowSuspend)
    server.send(.flowResume)
    server.send(.baudRate(300))
    server.send(.control(.rtsOff))
    #expect(
      talk(&client, &server) == [
        .linesChanged, .lineErrors(.framingError), .sendingPermitted(false),
        .sendingPermitted(true),
        .settingsChanged, .linesChanged,
      ])
    #expect(client.modemState == .cts && client.outputs[.rts] == false)
  }

  @Test func data_passesBothWays() {
    var server = Server()
    var client = opened(&server)
    let data = (0...255).map { UInt8($0) }
    var bytes: [UInt8] = []
    data.withUnsafeBytes { client.encode($0, into: &bytes, isEnd: true) }
    server.receive(bytes)
    #expect(server.data == data)
    var received: [UInt8] = []
    _ = server.telnet.encoded(data).withUnsafeBytes { client.receive($0, into: &received) }
    #expect(received == data)
    // Both directions are binary, so only the escape is doubled.
    #expect(bytes.count == 257)
  }

  /// For any bytes from a server, the client's memory does not grow, and its answers are limited.
  @Test func hostileBytes_areBounded() {
    var random = Generator(state: 17)
    for _ in 0..<300 {
      var client = ComPortClient(Self.wanted)
      client.open()
      var (data, sent) = ([UInt8](), 0)
      for _ in 0..<20 {
        let words: [UInt8] = [255, 250, 240, 251, 253, 254, 44, 100, 101, 105, 107, 0, 1]
        let bytes = (0..<200).map { _ in
          random.below(3) == 0 ? UInt8(random.below(256)) : words[random.below(words.count)]
        }
        _ = bytes.withUnsafeBytes { client.receive($0, into: &data) }
        sent += client.output.count
        client.output = []
      }
      #expect(data.count <= 4_000 && sent <= 40_000)
    }
  }
}
