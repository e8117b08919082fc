import Testing

@testable import Telnet

@Suite(.timeLimit(.minutes(30))) struct TelnetMachineTests {
  private static let (iac, se, sb): (UInt8, UInt8, UInt8) = (255, 240, 250)
  private static let (will, wont, does, dont): (UInt8, UInt8, UInt8, UInt8) = (251, 252, 253, 254)

  private var machine = TelnetMachine(
    accepting: [.binary, .comPort], from: [.binary, .suppressGoAhead])

  // MARK: Data

  @Test func twoMachines_passEveryByte_inAnyPieces() {
    var random = Generator(state: 5)
    for isBinary in [false, true] {
      for _ in 0..<200 {
        var (one, other) = (machine, machine)
        if isBinary {
          _ = one.receive([Self.iac, Self.does, 0])
          _ = other.receive([Self.iac, Self.will, 0])
        }
        var data = random.bytes(random.below(300))
        for index in data.indices where random.below(4) == 0 {
          data[index] = [0, 10, 13, 255][random.below(4)]
        }
        // Sent bytes may also be split at any position.
        let cut = random.below(data.count + 1)
        let bytes = one.encoded(Array(data[..<cut])) + one.encoded(Array(data[cut...]))
        let (received, events) = other.receive(bytes, inPiecesOf: random.below(9) + 1)
        #expect(received == data && events.isEmpty)
      }
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func `Without BINARY CR LF ends a line, and NUL follows any other CR`(_ size: Int) {
    var machine = machine
    let data = Array("one\r\nbare\rcr\r\r\n\r\u{0}x\r".utf8) + [255, 13, 255]
    var (rest, bytes) = (data[...], [UInt8]())
    while !rest.isEmpty {
      bytes += machine.encoded(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    #expect(
      bytes == Array("one\r\nbare\r\u{0}cr\r\u{0}\r\n\r\u{0}\u{0}x\r\u{0}".utf8)
        + [255, 255, 13, 0, 255, 255])
  }

  @Test func `A CR at the end is sent at once, and what follows it with the next data`() {
    var machine = machine
    #expect(machine.encoded(Array("a\r".utf8)) == Array("a\r".utf8))
    #expect(machine.encoded([]) == [])
    #expect(machine.encoded(Array("\nb\r".utf8)) == Array("\nb\r".utf8))
    #expect(machine.encoded(Array("c\r".utf8)) == Array("\u{0}c\r".utf8))
    var bytes: [UInt8] = []
    machine.endData(into: &bytes)
    machine.endData(into: &bytes)
    #expect(bytes == [0])
    #expect(machine.encoded(Array("\n\r".utf8)) == Array("\n\r".utf8))
    machine.discardData()
    #expect(machine.encoded([65]) == [65])
  }

  @Test func `BINARY that begins after a CR needs no NUL, and neither side expects one`() {
    var (one, other) = (machine, machine)
    var bytes = one.encoded([13])
    _ = one.receive([Self.iac, Self.does, 0])
    bytes += one.takeOutput() + one.encoded([0, 13, 0, 65])
    #expect(bytes == [13, Self.iac, Self.will, 0, 0, 13, 0, 65])
    #expect(other.receive(bytes, inPiecesOf: 1).data == [13, 0, 13, 0, 65])
  }

  @Test(arguments: [1, 100])
  func `A command between CR and NUL does not make the NUL data`(_ size: Int) {
    var machine = machine
    let bytes: [UInt8] = [13, Self.iac, 241, 0, 65, 13, Self.iac, Self.iac, 0]
    #expect(machine.receive(bytes, inPiecesOf: size).data == [13, 65, 13, 255, 0])
  }

  @Test func lineEndsOfATerminal_stayAsTheyAre() {
    var machine = machine
    #expect(
      machine.receive([13, 10, 65, 13, 0, 66, 13, 255, 255], inPiecesOf: 1).data
        == [13, 10, 65, 13, 66, 13, 255])
  }

  // MARK: Options

  @Test func acceptedOption_isAnsweredOnce() {
    var machine = machine
    let (_, events) = machine.receive(
      [Self.iac, Self.does, 0, Self.iac, Self.will, 3, Self.iac, Self.does, 0], inPiecesOf: 1)
    #expect(
      events == [
        .option(.binary, .local, isOn: true), .option(.suppressGoAhead, .remote, isOn: true),
      ])
    #expect(machine.takeOutput() == [Self.iac, Self.will, 0, Self.iac, Self.does, 3])
    #expect(machine.isOn(.binary, .local) && !machine.isOn(.binary, .remote))
  }

  @Test func unknownOption_isRefused() {
    var machine = machine
    #expect(
      machine.receive([Self.iac, Self.does, 31, Self.iac, Self.will, 24]).events
        == [.declined(.windowSize, .local), .declined(TelnetOption(rawValue: 24), .remote)])
    #expect(machine.takeOutput() == [Self.iac, Self.wont, 31, Self.iac, Self.dont, 24])
  }

  @Test func aWish_isAsked_andItsAnswerNotAnswered() {
    var machine = machine
    machine.ask(for: .comPort, .local)
    machine.ask(for: .comPort, .local)
    #expect(machine.takeOutput() == [Self.iac, Self.will, 44])
    #expect(
      machine.receive([Self.iac, Self.does, 44]).events
        == [.option(.comPort, .local, isOn: true)])
    #expect(machine.takeOutput() == [])
  }

  @Test func aRefusedOption_isReported() {
    var machine = machine
    machine.ask(for: .comPort, .local)
    #expect(
      machine.receive([Self.iac, Self.dont, 44]).events
        == [.option(.comPort, .local, isOn: false)])
    #expect(!machine.isOn(.comPort, .local))
  }

  /// The table of RFC 1143: changes of mind while a request is unanswered.
  @Test func aChangeOfMind_isAskedWhenTheAnswerHasCome() {
    var machine = machine
    machine.ask(for: .binary, .local)
    machine.ask(for: .binary, .local, isOn: false)
    #expect(machine.takeOutput() == [Self.iac, Self.will, 0])
    _ = machine.receive([Self.iac, Self.does, 0])
    #expect(machine.takeOutput() == [Self.iac, Self.wont, 0])
    machine.ask(for: .binary, .local)
    #expect(machine.takeOutput() == [])
    _ = machine.receive([Self.iac, Self.dont, 0])
    #expect(machine.takeOutput() == [Self.iac, Self.will, 0])
    #expect(
      machine.receive([Self.iac, Self.does, 0]).events
        == [.option(.binary, .local, isOn: true)])
    #expect(machine.takeOutput() == [])
  }

  @Test func anEndlessQuarrel_ends() {
    var machine = machine
    for _ in 0..<1_000 {
      _ = machine.receive([Self.iac, Self.will, 24, Self.iac, Self.does, 0, Self.iac, Self.dont, 0])
    }
    #expect(machine.output.count <= 2 * 20 * 3)
  }

  /// Two sides with any wishes and any changes of mind agree when neither has an open request.
  @Test func twoSides_agree() {
    var random = Generator(state: 11)
    for _ in 0..<500 {
      let all: Set<TelnetOption> = [.binary, .echo, .comPort]
      var sides = (0..<2).map { _ in
        TelnetMachine(
          accepting: all.filter { _ in random.below(3) > 0 },
          from: all.filter { _ in random.below(3) > 0 })
      }
      for _ in 0..<random.below(8) {
        let option = [TelnetOption.binary, .echo, .comPort][random.below(3)]
        sides[random.below(2)].ask(
          for: option, random.below(2) == 0 ? .local : .remote, isOn: random.below(2) == 0)
        let sender = random.below(2)
        let bytes = sides[sender].takeOutput()
        _ = sides[1 - sender].receive(bytes)
      }
      for _ in 0..<50 {
        for sender in 0..<2 {
          let bytes = sides[sender].takeOutput()
          _ = sides[1 - sender].receive(bytes)
        }
      }
      #expect(sides[0].output.isEmpty && sides[1].output.isEmpty)
      for option in all {
        #expect(sides[0].isOn(option, .local) == sides[1].isOn(option, .remote))
        #expect(sides[1].isOn(option, .local) == sides[0].isOn(option, .remote))
      }
    }
  }

  // MARK: Subnegotiations

  @Test(arguments: [1, 2, 3, 5, 100])
  func aSubnegotiation_isWhole_howeverItIsDivided(_ size: Int) {
    var machine = machine
    let (data, events) = machine.receive(
      [
        65, Self.iac, Self.sb, 44, 101, 0, Self.iac, Self.iac, 0, 0, Self.iac, Self.se, 66,
        Self.iac, 243,
      ],
      inPiecesOf: size)
    #expect(data == [65, 66])
    #expect(events == [.subnegotiation(.comPort, [101, 0, 255, 0, 0]), .command(243)])
  }

  @Test func aSubnegotiationWithoutEnd_isBounded() {
    var machine = machine
    let (_, events) = machine.receive(
      [Self.iac, Self.sb, 44] + Array(repeating: 7, count: 100_000) + [Self.iac, Self.se])
    guard case .subnegotiation(.comPort, let parameters) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(parameters.count == TelnetMachine.subnegotiationLimit)
  }

  @Test func aSubnegotiationThatIsCutOff_losesNothingElse() {
    var machine = machine
    let (data, events) = machine.receive(
      [
        Self.iac, Self.sb, 44, 1, 2, Self.iac, Self.will, 3, 65, Self.iac, Self.sb, 9, Self.iac,
        Self.se, 66,
      ])
    #expect(data == [65, 66])
    #expect(
      events == [
        .option(.suppressGoAhead, .remote, isOn: true),
        .subnegotiation(TelnetOption(rawValue: 9), []),
      ])
  }

  @Test func parameters_areSentWithDoubledEscapes() {
    var machine = machine
    machine.send([1, 255, 0], about: .comPort)
    #expect(
      machine.takeOutput()
        == [Self.iac, Self.sb, 44, 1, 255, 255, 0, Self.iac, Self.se])
  }

  /// Random bytes, split in two ways, have the same result.
  @Test func anyBytes_areReadAlike_howeverTheyAreDivided() {
    var random = Generator(state: 3)
    let words: [UInt8] = [255, 250, 240, 251, 252, 253, 254, 44, 0, 13, 10, 65]
    for _ in 0..<300 {
      let bytes = (0..<random.below(200)).map { _ in words[random.below(words.count)] }
      var (one, other) = (machine, machine)
      let (data, events) = one.receive(bytes)
      let (otherData, otherEvents) = other.receive(bytes, inPiecesOf: 1 + random.below(3))
      #expect(data == otherData && events == otherEvents && one.output == other.output)
    }
  }

  @Test func bytesOfFewEvents_areDecodedWhereTheyAre_andTheRestIsLeft() {
    var machine = machine
    var bytes: [UInt8] = [1, 255, 255, 2, 255, 253, 0, 3, 255, 241, 4]
    let received = bytes.withUnsafeMutableBytes { machine.receive($0, atMost: 1) }
    #expect(received.events == [.option(.binary, .local, isOn: true)])
    #expect(received.byteCount == 7 && bytes.prefix(received.dataCount) == [1, 255, 2])
    #expect(bytes[7...] == [3, 255, 241, 4])
  }

  @Test func anyBytes_areReadAlike_whateverIsHandledAtOnce() {
    var random = Generator(state: 7)
    let words: [UInt8] = [255, 250, 240, 251, 253, 44, 0, 13, 65]
    for _ in 0..<300 {
      let bytes = (0..<random.below(200)).map { _ in words[random.below(words.count)] }
      var (one, other) = (machine, machine)
      let (data, events) = one.receive(bytes)
      var (otherData, otherEvents, rest) = ([UInt8](), [TelnetMachine.Event](), bytes)
      while !rest.isEmpty {
        let received = rest.withUnsafeMutableBytes { other.receive($0, atMost: 2) }
        otherData += rest.prefix(received.dataCount)
        otherEvents += received.events
        rest.removeFirst(received.byteCount)
      }
      #expect(data == otherData && events == otherEvents && one.output == other.output)
    }
  }
}
