/// One side of a telnet connection: bytes of the network go in; data, events and answers come out.
/// A value. See RFC 854, RFC 855 and RFC 1143.
///
/// The bytes may be split at any position. The other side cannot make it use more and more memory:
/// subnegotiations and the answers about an option are limited.
public struct TelnetMachine {
  /// The side that an option applies to.
  public enum Side: Hashable, Sendable {
    /// This side.
    case local
    /// The other side.
    case remote
  }

  /// An event other than data.
  public enum Event: Hashable, Sendable {
    /// An option was switched on or off, or a request for it was refused.
    case option(TelnetOption, Side, isOn: Bool)
    /// A subnegotiation, without the option's number.
    case subnegotiation(TelnetOption, [UInt8])
    /// The other side has asked for an option that is not acceptable.
    case declined(TelnetOption, Side)
    /// A command of one byte: ``TelnetCommand/break`` and others.
    case command(UInt8)
  }

  /// The bytes to send to the other side. The owner removes them.
  public var output: [UInt8] = []
  /// Whether the other side has sent a telnet command.
  public private(set) var hasSeenCommand = false

  private let acceptable: [Side: Set<TelnetOption>]
  private var options: [Side: [TelnetOption: OptionNegotiation]] = [:]
  private var state = State.data
  private var parameters: [UInt8] = []
  /// Whether the last byte of the other side's data is a CR of text, so that a NUL after it is none
  /// of the data. Commands may come between the two.
  private var hasReceivedReturn = false
  /// Whether the last byte of this side's data is a CR of text, which LF or NUL must follow.
  private var hasSentReturn = false

  private enum State {
    case data
    case command
    /// After WILL, WONT, DO or DONT.
    case option(UInt8)
    /// After SB.
    case subnegotiation
    case subnegotiationOption
    case subnegotiationCommand
  }

  /// The maximum size of a subnegotiation in bytes. The rest of a longer one is dropped.
  public static let subnegotiationLimit = 256

  private static let null: UInt8 = 0
  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D
  private static let escape = TelnetCommand.interpretAsCommand

  /// Creates one side of a connection.
  ///
  /// - Parameters:
  ///   - local: the options that this side agrees to use.
  ///   - remote: the options that the other side may use.
  public init(accepting local: Set<TelnetOption>, from remote: Set<TelnetOption>) {
    acceptable = [.local: local, .remote: remote]
  }

  // MARK: Options

  /// Whether an option is in use.
  public func isOn(_ option: TelnetOption, _ side: Side) -> Bool {
    options[side]?[option]?.isOn ?? false
  }

  /// Requests an option: offers it for this side, or asks the other side to use it.
  public mutating func ask(for option: TelnetOption, _ side: Side, isOn: Bool = true) {
    if let message = options[side, default: [:]][option, default: .init()].ask(for: isOn) {
      send(message, about: option, side)
    }
  }

  private mutating func send(_ isOn: Bool, about option: TelnetOption, _ side: Side) {
    let verb =
      switch (side, isOn) {
      case (.local, true): TelnetCommand.will
      case (.local, false): TelnetCommand.wont
      case (.remote, true): TelnetCommand.do
      case (.remote, false): TelnetCommand.dont
      }
    output += [Self.escape, verb, option.rawValue]
  }

  private mutating func receive(_ verb: UInt8, about number: UInt8) -> Event? {
    let option = TelnetOption(rawValue: number)
    let side: Side = verb == TelnetCommand.will || verb == TelnetCommand.wont ? .remote : .local
    let isOn = verb == TelnetCommand.will || verb == TelnetCommand.do
    let effect = options[side, default: [:]][option, default: .init()].receive(
      isOn, isAcceptable: acceptable[side, default: []].contains(option))
    if let message = effect.message { send(message, about: option, side) }
    if effect.isDeclined { return .declined(option, side) }
    return effect.outcome.map { .option(option, side, isOn: $0) }
  }

  // MARK: Receiving

  /// Handles bytes from the network.
  ///
  /// - Parameters:
  ///   - data: receives the data.
  /// - Returns: the events, in order.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, into data: inout [UInt8]
  ) -> [Event] {
    let start = data.count
    data.append(contentsOf: bytes)
    let (events, _, dataCount) = data.withUnsafeMutableBytes {
      receive(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), atMost: .max)
    }
    data.removeLast(bytes.count - dataCount)
    return events
  }

  /// Handles bytes from the network until there are a number of events, so that a turn of a
  /// loop stays short. They are decoded where they are: the data are never longer.
  ///
  /// - Parameters:
  ///   - bytes: the bytes. Afterwards, the data are at their beginning.
  ///   - limit: the number of events, at least 1.
  /// - Returns: the events, in order, the number of bytes that were handled, and that of the data.
  ///   The caller passes the other bytes again.
  public mutating func receive(
    _ bytes: UnsafeMutableRawBufferPointer, atMost limit: Int
  ) -> (events: [Event], byteCount: Int, dataCount: Int) {
    guard let start = bytes.baseAddress else { return ([], 0, 0) }
    var events: [Event] = []
    var (index, dataCount) = (0, 0)
    var special = specialByte(.remote)
    while index < bytes.count, events.count < limit {
      if case .data = state, !hasReceivedReturn {
        let place = UnsafeRawBufferPointer(bytes).firstPlace(of: Self.escape, special, from: index)
        // Most escapes are doubled, and so are data.
        let isDoubled =
          place + 1 < bytes.count && bytes[place] == Self.escape && bytes[place + 1] == Self.escape
        let end = isDoubled ? place + 1 : place
        if dataCount != index {
          (start + dataCount).copyMemory(from: start + index, byteCount: end - index)
        }
        dataCount += end - index
        index = isDoubled ? end + 1 : end
        if isDoubled || index == bytes.count { continue }
      }
      switch receive(bytes[index]) {
      case .data(let byte):
        bytes[dataCount] = byte
        dataCount += 1
      case .event(let event):
        events.append(event)
        special = specialByte(.remote)
      case nil: break
      }
      index += 1
    }
    return (events, index, dataCount)
  }

  /// The byte, besides the escape, that is not passed on unchanged: CR, unless the side
  /// uses binary transmission.
  private func specialByte(_ side: Side) -> UInt8 {
    isOn(.binary, side) ? Self.escape : Self.carriageReturn
  }

  /// What a byte completes.
  private enum Completed {
    case data(UInt8)
    case event(Event)
  }

  private mutating func receive(_ byte: UInt8) -> Completed? {
    switch state {
    case .data where byte == Self.escape: state = .command
    case .data where hasReceivedReturn && byte == Self.null && !isOn(.binary, .remote):
      hasReceivedReturn = false
    case .data:
      hasReceivedReturn = byte == Self.carriageReturn && !isOn(.binary, .remote)
      return .data(byte)
    case .command: return receiveCommand(byte)
    case .option(let verb):
      state = .data
      return receive(verb, about: byte).map { .event($0) }
    case .subnegotiationOption:
      parameters = [byte]
      state = .subnegotiation
    case .subnegotiation:
      if byte == Self.escape { state = .subnegotiationCommand } else { add(parameter: byte) }
    case .subnegotiationCommand: return receiveInSubnegotiation(byte)
    }
    return nil
  }

  private mutating func receiveCommand(_ byte: UInt8) -> Completed? {
    state = .data
    switch byte {
    case Self.escape:
      hasReceivedReturn = false
      return .data(byte)
    case TelnetCommand.will, TelnetCommand.wont, TelnetCommand.do, TelnetCommand.dont:
      hasSeenCommand = true
      state = .option(byte)
      return nil
    case TelnetCommand.subnegotiation:
      hasSeenCommand = true
      state = .subnegotiationOption
      return nil
    default: return .event(.command(byte))
    }
  }

  private mutating func receiveInSubnegotiation(_ byte: UInt8) -> Completed? {
    switch byte {
    case Self.escape:
      add(parameter: byte)
      state = .subnegotiation
      return nil
    case TelnetCommand.endOfSubnegotiation:
      state = .data
      defer { parameters = [] }
      return .event(
        .subnegotiation(TelnetOption(rawValue: parameters[0]), Array(parameters.dropFirst())))
    default:
      // The end of the subnegotiation is missing, so it is ignored. The command counts.
      parameters = []
      return receiveCommand(byte)
    }
  }

  private mutating func add(parameter byte: UInt8) {
    if parameters.count <= Self.subnegotiationLimit { parameters.append(byte) }
  }

  // MARK: Sending

  /// Encodes data for the network.
  ///
  /// Text is sent as the network virtual terminal of RFC 854 has it, unless the other side has
  /// agreed to binary transmission: CR LF ends a line, and NUL follows any other CR. A CR at the
  /// end is sent at once; the next data decide what follows it.
  public mutating func encode(_ data: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
    guard let first = data.first else { return }
    let special = specialByte(.local)
    if hasSentReturn, special != Self.escape, first != Self.lineFeed { bytes.append(Self.null) }
    hasSentReturn = false
    var start = 0
    while true {
      let place = data.firstPlace(of: Self.escape, special, from: start)
      guard place < data.count else { break }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: data[start...place]))
      start = place + 1
      if data[place] == Self.escape {
        bytes.append(Self.escape)
      } else if start == data.count {
        hasSentReturn = true
      } else if data[start] != Self.lineFeed {
        bytes.append(Self.null)
      }
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: data[start...]))
  }

  /// Ends the data for now: completes a CR at their end with NUL. An Enter of the keyboard is whole
  /// then, also for a server that waits for the byte after it.
  public mutating func endData(into bytes: inout [UInt8]) {
    if hasSentReturn, !isOn(.binary, .local) { bytes.append(Self.null) }
    hasSentReturn = false
  }

  /// Forgets what was encoded last, because it was not sent.
  public mutating func discardData() { hasSentReturn = false }

  /// Sends a command of one byte: ``TelnetCommand/break``.
  public mutating func send(command: UInt8) { output += [Self.escape, command] }

  /// Sends a subnegotiation.
  public mutating func send(_ parameters: [UInt8], about option: TelnetOption) {
    output += [Self.escape, TelnetCommand.subnegotiation, option.rawValue]
    for byte in parameters {
      output.append(byte)
      if byte == Self.escape { output.append(byte) }
    }
    output += [Self.escape, TelnetCommand.endOfSubnegotiation]
  }
}

extension UnsafeRawBufferPointer {
  /// The first position of one of two bytes; the count if there is none. It examines eight bytes at
  /// a time, because all data of a connection are searched.
  func firstPlace(of one: UInt8, _ other: UInt8, from start: Int) -> Int {
    let (ones, others) = (UInt64(repeating: one), UInt64(repeating: other))
    var place = start
    while place + 8 <= count {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      if (word ^ ones).hasZeroByte || (word ^ others).hasZeroByte { break }
      place += 8
    }
    while place < count, self[place] != one, self[place] != other { place += 1 }
    return place
  }
}

extension UInt64 {
  fileprivate init(repeating byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// Whether one of the eight bytes is 0.
  fileprivate var hasZeroByte: Bool {
    (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 != 0
  }
}
