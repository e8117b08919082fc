import Telnet
import Testing

@Suite struct SharingMessageTests {
  private static let messages: [SharingMessage] = [
    .hello(.init(name: "max on pts/3"), isViewer: true), .hello(.init(name: ""), isViewer: false),
    .ask, .give(7),
    .keep, .takePen, .returnPen, .askToWrite("\"help\\r\""),
    .rename("Jürgen"), .rename(""),
    .askForScreen, .screen(Array("\u{1B}[2J".utf8)), .screen([]),
    .joined(0xFF_01, mayTake: true, .one),
    .joined(1, mayTake: false, .none),
    .history(time: 1_764_000_000_123_456_789, [0, 255, 13]), .history(time: 0, []),
    .member(3, name: "jürgen on tty1", answers: true), .left(.max - 1),
    .pen(SharingMessage.nobody, .inherited), .pen(SharingMessage.home, .forced),
    .asks(2, toWrite: nil),
    .asks(3, toWrite: "\"ü\""), .kept,
    .missed(123_456), .port(.waiting, name: "/dev/ttyUSB0"), .ended("the session was ended"),
    .features([]), .features([.modemLines, .counters]), .counters(Array(1...11)),
    .counters([UInt32](repeating: .max, count: SharingMessage.counterCount)),
    .refusal(.noSequence, code: "playing", text: "esp32 is playing"),
    .refusal(.openPort, code: "", text: ""),
    .askWhenSent(.max), .sent(0), .features([.reportsSent, .breaks]),
    .readLog(offset: 1 << 40, count: 16_384), .logBytes([0, 255]), .logBytes([]),
    .logPiece(offset: 7, size: .max, name: "board.log"), .logFailed(offset: 0, "no log is on"),
  ]

  @Test(arguments: messages) func bytes_areReadAsTheSameMessage(_ message: SharingMessage) {
    #expect(SharingMessage(message.bytes) == message)
  }

  @Test(arguments: messages) func partOfAMessage_isNone_orAShorterText(_ message: SharingMessage) {
    for count in 0..<message.bytes.count {
      // Parsing must not trap. Texts and history may be shorter.
      _ = SharingMessage(Array(message.bytes.prefix(count)))
    }
    #expect(SharingMessage([]) == nil)
  }

  @Test(arguments: [
    [0], [10], [10, 0, 0, 1], [78, 0, 0, 1], [12], [63], [75], [76, 0, 0, 0, 1],
    [11, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0], [80, 1], [77], [77, 1], [77, 9, 0], [77, 1, 2, 97], [255],
    [3, 0, 0, 0], [68, 0, 0, 0, 1, 9], [72, 9],
  ])
  func otherBytes_areNoMessage(_ bytes: [UInt8]) { #expect(SharingMessage(bytes) == nil) }

  @Test func longName_isCutBetweenCharacters() {
    let name = String(repeating: "ü", count: 100)
    guard
      case .member(_, let read, _) = SharingMessage(
        SharingMessage.member(1, name: name, answers: true).bytes)
    else { return #expect(Bool(false)) }
    #expect(read == String(repeating: "ü", count: SharingMessage.textLimit / 2))
  }

  /// Both ends of a connection can be programs of other versions.
  @Test func featuresAndRefusals_haveFixedBytes() {
    #expect(
      SharingMessage.features([.modemLines, .breaks, .settings, .counters]).bytes == [75, 15])
    #expect(SharingMessage.features(.breaks).bytes == [75, 2])
    #expect(SharingMessage.features(.reportsSent).bytes == [75, 16])
    #expect(SharingMessage.askWhenSent(258).bytes == [10, 0, 0, 1, 2])
    #expect(SharingMessage.sent(258).bytes == [78, 0, 0, 1, 2])
    #expect(SharingMessage.counters(Array(1...11)).bytes.prefix(9) == [76, 0, 0, 0, 1, 0, 0, 0, 2])
    let subjects: [SharingMessage.Subject] = [
      .openPort, .sending, .settings, .breaks, .modemLines, .noExchange, .noSequence,
      .sharedLog,
    ]
    for (number, subject) in zip(1..., subjects) {
      #expect(
        SharingMessage.refusal(subject, code: "x-y", text: "ü").bytes
          == [77, UInt8(number), 3] + Array("x-yü".utf8))
    }
    #expect(subjects.count == SharingMessage.Subject.allCases.count)
  }

  @Test func longRefusal_isCutBetweenCharacters() {
    let long = String(repeating: "ü", count: 100)
    guard
      case .refusal(.sending, let code, let text) = SharingMessage(
        SharingMessage.refusal(.sending, code: long, text: long).bytes)
    else { return #expect(Bool(false)) }
    #expect(code == String(repeating: "ü", count: SharingMessage.codeLimit / 2))
    #expect(text == String(repeating: "ü", count: SharingMessage.textLimit / 2))
  }

  @Test func everyMessage_fitsIntoASubnegotiation() {
    let long = String(repeating: "x", count: 1_000)
    let messages: [SharingMessage] = [
      .hello(.init(name: long), isViewer: true), .member(1, name: long, answers: true),
      .ended(long), .rename(long), .refusal(.noSequence, code: long, text: long),
      .counters([UInt32](repeating: .max, count: SharingMessage.counterCount)),
      .port(.open, name: long), .history(time: 1, [UInt8](repeating: 0xFF, count: 1_000)),
    ]
    for message in messages {
      let parameters = ComPortMessage.sharing(message.bytes).parameters(fromServer: true)
      #expect(parameters.count <= TelnetMachine.subnegotiationLimit)
    }
  }

  @Test func randomBytes_areReadWithoutATrap() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
        UInt8.random(in: 0...80, using: &generator)
      }
      if let message = SharingMessage(bytes) { #expect(SharingMessage(message.bytes) == message) }
    }
  }
}
