/// A message between two serialterms about a shared session: its members, its pen, its history. It
/// is the text of a private message of RFC 2217's option: ``ComPortMessage/sharing(_:)``.
///
/// The first byte is the number of the message. Numbers are unsigned and big-endian, with four
/// bytes, or eight for a time. A name or a text is the last part, in UTF-8.
public enum SharingMessage: Hashable, Sendable {
  /// The number of a member of the session.
  public typealias ID = UInt32

  /// How a client introduces itself.
  public struct Introduction: Hashable, Sendable {
    /// What it calls itself; empty for the name that its connection has.
    public var name: String
    /// What its program is.
    public var kind: Kind

    /// What the program of a member is, which it says itself.
    public enum Kind: UInt8, Sendable {
      /// That of a person at a terminal, or one that the person has written.
      case person
      /// That of an agent.
      case agent
      /// The page of a browser.
      case browser
    }

    /// Creates an introduction.
    public init(name: String, kind: Kind = .person) { (self.name, self.kind) = (name, kind) }

    /// The name of the connection.
    public static let unnamed = Introduction(name: "")
  }

  // From the client.

  /// The client is a person's serialterm, and wants news of the other members.
  ///
  /// - `isViewer`: it does not take a free pen automatically, and wants the history.
  case hello(Introduction, isViewer: Bool)
  /// Asks for the pen.
  case ask
  /// Gives the pen to another member.
  case give(ID)
  /// Keeps the pen, and refuses all requests for it.
  case keep
  /// Takes the pen without asking.
  case takePen
  /// Gives the pen back.
  case returnPen
  /// Asks for the pen to write something, which this text shows to the person who decides.
  case askToWrite(String)
  /// Asks for the screen that a program has drawn, as it is now; see ``screen(_:)``.
  case askForScreen
  /// Changes the name of the client; empty for the name that its connection has.
  case rename(String)
  /// Asks for ``sent(_:)`` with this number, for a server with ``Features/reportsSent``. A newer
  /// question replaces one that is not answered.
  case askWhenSent(UInt32)
  /// Asks for a piece of the session's log, of at most this number of bytes. The offset 0 begins a
  /// reading; see ``logPiece(offset:size:name:)``.
  case readLog(offset: UInt64, count: UInt32)

  // From the server.

  /// The client has joined: its own number, whether it may ``takePen``, and the rule for the pen.
  case joined(ID, mayTake: Bool, PenRule)
  /// Bytes that the device sent before the client joined, with their time in nanoseconds since
  /// 1970-01-01 UTC. At most ``historyLimit`` bytes.
  case history(time: UInt64, [UInt8])
  /// A part of what shows the screen that a program has drawn, in UTF-8, of at most
  /// ``historyLimit`` bytes. Without bytes, it ends the history that the screen comes from; who
  /// shows the screen does not show that history.
  case screen([UInt8])
  /// A member of the session.
  ///
  /// - `answers`: whether it is a person, who can be asked for the pen.
  case member(ID, name: String, answers: Bool)
  /// A member has left.
  case left(ID)
  /// The member with the pen; ``nobody`` for none.
  case pen(ID, Handover)
  /// A member asks the client for the pen, to write this; nil to keep it.
  case asks(ID, toWrite: String?)
  /// The holder of the pen keeps it.
  case kept
  /// This number of bytes was skipped, because the client took nothing.
  case missed(UInt32)
  /// The state of the port, and its name.
  case port(PortState, name: String)
  /// The session has ended, for this reason.
  case ended(String)
  /// The features of the real port; none while it is not open. Without this message, they
  /// are unknown.
  case features(Features)
  /// The counters of the real port's driver: ``counterCount`` numbers, in the order of
  /// `LineCounters`. Only of a port that has counters.
  case counters([UInt32])
  /// Why the member cannot do something, in the words of the session's owner. Without a code, the
  /// member can do it. At most ``codeLimit`` and ``textLimit`` bytes.
  case refusal(Subject, code: String, text: String)
  /// The answer to ``askWhenSent(_:)``: nothing that the client has written before waits. The
  /// driver has taken it, or it was discarded.
  case sent(UInt32)
  /// Bytes of the log, at most ``historyLimit``, of the piece that the client has asked for.
  case logBytes([UInt8])
  /// The bytes of the piece at an offset are complete. The log had this size when the reading
  /// began, and its file has this name.
  case logPiece(offset: UInt64, size: UInt64, name: String)
  /// The piece at an offset cannot be read, for this reason.
  case logFailed(offset: UInt64, String)

  /// The features of a port besides sending and receiving.
  public struct Features: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public let rawValue: UInt8
    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Its modem lines can be read and set.
    public static let modemLines = Features(rawValue: 1)
    /// It can send breaks.
    public static let breaks = Features(rawValue: 2)
    /// Its settings can be changed.
    public static let settings = Features(rawValue: 4)
    /// Its driver counts bytes, errors and changes of the modem lines.
    public static let counters = Features(rawValue: 8)
    /// The server answers ``SharingMessage/askWhenSent(_:)``. It does so for every port.
    public static let reportsSent = Features(rawValue: 16)
  }

  /// What a member can be refused, also with the pen.
  public enum Subject: UInt8, CaseIterable, Sendable {
    /// To use the port, which must be open.
    case openPort = 1
    /// To send anything.
    case sending = 2
    /// To change the settings of the line.
    case settings = 3
    /// To send a break.
    case breaks = 4
    /// To read and set the modem lines.
    case modemLines = 5
    /// To start an exchange, such as sending a file, while another one runs.
    case noExchange = 6
    /// To play a line sequence while another one is played.
    case noSequence = 7
    /// To read the session's log. Refused until the server says that it is not.
    case sharedLog = 8
  }

  /// Who may write to the device.
  public enum PenRule: UInt8, CaseIterable, Sendable {
    /// The member with the pen.
    case one
    /// All members, in whole lines.
    case all
    /// No member.
    case none
  }

  /// How the present holder got the pen.
  public enum Handover: UInt8, CaseIterable, Sendable {
    /// It was free before.
    case taken
    /// Its holder gave it away.
    case given
    /// It was taken without asking.
    case forced
    /// Its holder has left.
    case inherited
  }

  /// The state of the port.
  public enum PortState: UInt8, CaseIterable, Sendable {
    case open
    /// The device is gone. The session waits for it.
    case waiting
    /// It is released for another program.
    case released
    case closed
  }

  /// The maximum length of a name or text in bytes: a message must fit into a subnegotiation.
  public static let textLimit = 160
  /// The maximum length of the name of a file in bytes.
  public static let fileNameLimit = 220
  /// The maximum length of the code of a ``refusal(_:code:text:)`` in bytes.
  public static let codeLimit = 32
  /// The number of counters in ``counters(_:)``.
  public static let counterCount = 11
  /// The maximum number of bytes of one ``history(time:_:)``.
  public static let historyLimit = 200

  private enum Code: UInt8 {
    case hello = 1
    case ask, give, keep, takePen, returnPen, askToWrite, askForScreen, rename, askWhenSent
    case readLog
    case joined = 64
    case history, member, left, pen, asks, kept, missed, port, ended, screen
    case features, counters, refusal, sent, logBytes, logPiece, logFailed
  }
}

extension SharingMessage {
  /// The message as bytes.
  public var bytes: [UInt8] {
    switch self {
    case .hello(let introduction, let isViewer):
      Self.pack(
        .hello,
        [(isViewer ? 1 : 0) | introduction.kind.rawValue << 1] + Self.text(introduction.name))
    case .ask: Self.pack(.ask)
    case .give(let id): Self.pack(.give, Self.number(id))
    case .keep: Self.pack(.keep)
    case .takePen: Self.pack(.takePen)
    case .returnPen: Self.pack(.returnPen)
    case .askToWrite(let text): Self.pack(.askToWrite, Self.text(text))
    case .askForScreen: Self.pack(.askForScreen)
    case .rename(let name): Self.pack(.rename, Self.text(name))
    case .askWhenSent(let number): Self.pack(.askWhenSent, Self.number(number))
    case .readLog(let offset, let count):
      Self.pack(.readLog, Self.number(offset) + Self.number(count))
    case .joined(let id, let mayTake, let rule):
      Self.pack(.joined, Self.number(id) + [mayTake ? 1 : 0, rule.rawValue])
    case .history(let time, let bytes):
      Self.pack(.history, Self.number(time) + bytes.prefix(Self.historyLimit))
    case .screen(let bytes): Self.pack(.screen, Array(bytes.prefix(Self.historyLimit)))
    case .member(let id, let name, let answers):
      Self.pack(.member, Self.number(id) + [answers ? 1 : 0] + Self.text(name))
    case .left(let id): Self.pack(.left, Self.number(id))
    case .pen(let id, let handover): Self.pack(.pen, Self.number(id) + [handover.rawValue])
    case .asks(let id, let text): Self.pack(.asks, Self.number(id) + Self.text(text ?? ""))
    case .kept: Self.pack(.kept)
    case .missed(let count): Self.pack(.missed, Self.number(count))
    case .port(let state, let name): Self.pack(.port, [state.rawValue] + Self.text(name))
    case .ended(let reason): Self.pack(.ended, Self.text(reason))
    case .features(let features): Self.pack(.features, [features.rawValue])
    case .counters(let numbers): Self.pack(.counters, numbers.flatMap { Self.number($0) })
    case .refusal(let subject, let code, let text):
      Self.pack(.refusal, Self.refusal(subject, Self.text(code, Self.codeLimit), Self.text(text)))
    case .sent(let number): Self.pack(.sent, Self.number(number))
    case .logBytes(let bytes): Self.pack(.logBytes, Array(bytes.prefix(Self.historyLimit)))
    case .logPiece(let offset, let size, let name):
      Self.pack(
        .logPiece, Self.number(offset) + Self.number(size) + Self.text(name, Self.fileNameLimit))
    case .logFailed(let offset, let reason):
      Self.pack(.logFailed, Self.number(offset) + Self.text(reason))
    }
  }

  private static func pack(_ code: Code, _ parts: [UInt8] = []) -> [UInt8] {
    [code.rawValue] + parts
  }

  private static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (1...(Number.bitWidth / 8)).map {
      UInt8(truncatingIfNeeded: number >> (Number.bitWidth - 8 * $0))
    }
  }

  private static func refusal(_ subject: Subject, _ code: [UInt8], _ text: [UInt8]) -> [UInt8] {
    [subject.rawValue, UInt8(code.count)] + code + text
  }

  /// A text in UTF-8, truncated to a maximum length.
  private static func text(_ text: String, _ limit: Int = textLimit) -> [UInt8] {
    var end = text.unicodeScalars.endIndex
    while text[..<end].utf8.count > limit { text.unicodeScalars.formIndex(before: &end) }
    return Array(text[..<end].utf8)
  }

  /// Parses a message.
  ///
  /// - Returns: nil if the bytes are not a message.
  public init?(_ bytes: [UInt8]) {
    guard let code = bytes.first.flatMap(Code.init) else { return nil }
    var rest = bytes.dropFirst()
    switch code {
    case .hello:
      guard let flags = rest.popFirst() else { return nil }
      // A kind of a later version counts as a person.
      let kind = Introduction.Kind(rawValue: flags >> 1) ?? .person
      let introduction = Introduction(name: Self.text(in: rest), kind: kind)
      self = .hello(introduction, isViewer: flags & 1 != 0)
    case .ask: self = .ask
    case .keep: self = .keep
    case .takePen: self = .takePen
    case .returnPen: self = .returnPen
    case .askForScreen: self = .askForScreen
    case .kept: self = .kept
    case .ended: self = .ended(Self.text(in: rest))
    case .askToWrite: self = .askToWrite(Self.text(in: rest))
    case .rename: self = .rename(Self.text(in: rest))
    case .port:
      guard let state = rest.popFirst().flatMap(PortState.init) else { return nil }
      self = .port(state, name: Self.text(in: rest))
    case .history:
      guard let time: UInt64 = Self.takeNumber(&rest) else { return nil }
      self = .history(time: time, Array(rest))
    case .screen: self = .screen(Array(rest))
    case .readLog:
      guard let offset: UInt64 = Self.takeNumber(&rest),
        let count: UInt32 = Self.takeNumber(&rest)
      else { return nil }
      self = .readLog(offset: offset, count: count)
    case .logBytes: self = .logBytes(Array(rest))
    case .logPiece:
      guard let offset: UInt64 = Self.takeNumber(&rest),
        let size: UInt64 = Self.takeNumber(&rest)
      else { return nil }
      self = .logPiece(offset: offset, size: size, name: Self.text(in: rest, Self.fileNameLimit))
    case .logFailed:
      guard let offset: UInt64 = Self.takeNumber(&rest) else { return nil }
      self = .logFailed(offset: offset, Self.text(in: rest))
    case .features:
      guard let bits = rest.first else { return nil }
      self = .features(Features(rawValue: bits))
    case .counters:
      var numbers: [UInt32] = []
      while numbers.count < Self.counterCount {
        guard let number: UInt32 = Self.takeNumber(&rest) else { return nil }
        numbers.append(number)
      }
      self = .counters(numbers)
    case .refusal:
      guard let subject = rest.popFirst().flatMap(Subject.init), let length = rest.popFirst(),
        length <= Self.codeLimit, rest.count >= length
      else { return nil }
      let code = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
      self = .refusal(subject, code: code, text: Self.text(in: rest.dropFirst(Int(length))))
    case .give, .left, .asks, .missed, .joined, .member, .pen, .askWhenSent, .sent:
      guard let number: UInt32 = Self.takeNumber(&rest) else { return nil }
      self.init(code, number, rest)
    }
  }

  /// Parses a message that begins with a number.
  private init?(_ code: Code, _ number: UInt32, _ rest: ArraySlice<UInt8>) {
    switch (code, rest.first) {
    case (.give, _): self = .give(number)
    case (.left, _): self = .left(number)
    case (.asks, _):
      let text = Self.text(in: rest)
      self = .asks(number, toWrite: text.isEmpty ? nil : text)
    case (.missed, _): self = .missed(number)
    case (.askWhenSent, _): self = .askWhenSent(number)
    case (.sent, _): self = .sent(number)
    case (.member, let answers?):
      self = .member(number, name: Self.text(in: rest.dropFirst()), answers: answers != 0)
    case (.pen, let handover?):
      guard let handover = Handover(rawValue: handover) else { return nil }
      self = .pen(number, handover)
    case (.joined, let mayTake?):
      guard let rule = rest.dropFirst().first.flatMap(PenRule.init) else { return nil }
      self = .joined(number, mayTake: mayTake != 0, rule)
    default: return nil
    }
  }

  private static func takeNumber<Number: FixedWidthInteger>(
    _ bytes: inout ArraySlice<UInt8>
  ) -> Number? {
    let size = Number.bitWidth / 8
    guard bytes.count >= size else { return nil }
    defer { bytes.removeFirst(size) }
    return bytes.prefix(size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  private static func text(in bytes: ArraySlice<UInt8>, _ limit: Int = textLimit) -> String {
    String(decoding: bytes.prefix(limit), as: UTF8.self)
  }
}

extension SharingMessage {
  /// The number that stands for nobody. The first client has 1, the local user ``home``.
  public static let nobody: ID = .max
  /// The number of the local user of the session.
  public static let home: ID = 0
}
