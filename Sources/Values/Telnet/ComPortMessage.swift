/// A message of the COM-PORT-OPTION: RFC 2217. A server answers a client's message with
/// the same message.
public enum ComPortMessage: Hashable, Sendable {
  /// The name of the software. An empty one requests the name of the other side.
  case signature([UInt8])
  /// Bits per second; 0 queries the present rate.
  case baudRate(UInt32)
  /// 5 to 8 data bits; 0 queries the present value.
  case dataSize(UInt8)
  /// See ``ComPortParity``; 0 queries the present value.
  case parity(UInt8)
  /// 1 for one stop bit, 2 for two, 3 for one and a half; 0 queries the present value.
  case stopSize(UInt8)
  /// Flow control, break, DTR or RTS.
  case control(ComPortControl)
  /// From the server: errors and the state of the transmitter.
  case lineState(ComPortLineState)
  /// From the server: the modem lines.
  case modemState(ComPortModemState)
  /// The other side must not send data until ``flowResume``.
  case flowSuspend
  /// The other side may send data again.
  case flowResume
  /// The line states that the client wants reports of.
  case lineStateMask(UInt8)
  /// The modem states that the client wants reports of.
  case modemStateMask(UInt8)
  /// Discard bytes: 1 for received bytes, 2 for bytes to send, 3 for both.
  case purge(UInt8)
  /// A sequence of line changes and waits, as text, which the server plays. It answers when the
  /// sequence has ended, with the reason if it failed. Not in the RFC: only a server whose
  /// signature is that of serialterm supports it.
  case sequence([UInt8])
  /// A message about the members and the pen of the session: see ``SharingMessage``. Not in the
  /// RFC: only serialterm supports it.
  case sharing([UInt8])

  /// The number of a client's message. The number of a server's message is
  /// higher by ``serverOffset``.
  private var code: UInt8 {
    switch self {
    case .signature: 0
    case .baudRate: 1
    case .dataSize: 2
    case .parity: 3
    case .stopSize: 4
    case .control: 5
    case .lineState: 6
    case .modemState: 7
    case .flowSuspend: 8
    case .flowResume: 9
    case .lineStateMask: 10
    case .modemStateMask: 11
    case .purge: 12
    case .sequence: 90
    case .sharing: 91
    }
  }

  private static let serverOffset: UInt8 = 100

  /// The parameters of the subnegotiation.
  ///
  /// - Parameter isServer: whether a server sends it.
  public func parameters(fromServer isServer: Bool) -> [UInt8] {
    let value: [UInt8] =
      switch self {
      case .signature(let value), .sequence(let value), .sharing(let value): value
      case .baudRate(let rate): (0..<4).map { UInt8(truncatingIfNeeded: rate >> (24 - 8 * $0)) }
      case .dataSize(let value), .parity(let value), .stopSize(let value),
        .lineStateMask(let value), .modemStateMask(let value), .purge(let value):
        [value]
      case .control(let control): [control.rawValue]
      case .lineState(let state): [state.rawValue]
      case .modemState(let state): [state.rawValue]
      case .flowSuspend, .flowResume: []
      }
    return [code + (isServer ? Self.serverOffset : 0)] + value
  }

  /// Parses the parameters of a subnegotiation. Bytes after the value are ignored: some servers
  /// send more than the RFC specifies.
  ///
  /// - Parameter isServer: whether a server has sent it.
  /// - Returns: nil if that side has no such message, or if the value is missing.
  public init?(_ parameters: [UInt8], fromServer isServer: Bool) {
    guard var code = parameters.first else { return nil }
    if isServer {
      guard code >= Self.serverOffset else { return nil }
      code -= Self.serverOffset
    }
    let value = parameters.dropFirst()
    switch (code, value.first) {
    case (0, _): self = .signature(Array(value))
    case (1, _) where value.count >= 4:
      self = .baudRate(value.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    case (2, let size?): self = .dataSize(size)
    case (3, let parity?): self = .parity(parity)
    case (4, let size?): self = .stopSize(size)
    case (5, let control?): self = .control(ComPortControl(rawValue: control))
    case (6, let state?): self = .lineState(ComPortLineState(rawValue: state))
    case (7, let state?): self = .modemState(ComPortModemState(rawValue: state))
    case (8, _): self = .flowSuspend
    case (9, _): self = .flowResume
    case (10, let mask?): self = .lineStateMask(mask)
    case (11, let mask?): self = .modemStateMask(mask)
    case (12, let buffers?): self = .purge(buffers)
    case (90, _): self = .sequence(Array(value))
    case (91, _): self = .sharing(Array(value))
    default: return nil
    }
  }
}

/// The value of SET-CONTROL.
public struct ComPortControl: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt8

  /// Creates a value from its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The subject of a value.
  public enum Subject: Hashable, Sendable {
    case flow, `break`, dtr, rts, inboundFlow
  }

  public static let askFlow = ComPortControl(rawValue: 0)
  public static let noFlow = ComPortControl(rawValue: 1)
  public static let softwareFlow = ComPortControl(rawValue: 2)
  public static let hardwareFlow = ComPortControl(rawValue: 3)
  public static let askBreak = ComPortControl(rawValue: 4)
  public static let breakOn = ComPortControl(rawValue: 5)
  public static let breakOff = ComPortControl(rawValue: 6)
  public static let askDTR = ComPortControl(rawValue: 7)
  public static let dtrOn = ComPortControl(rawValue: 8)
  public static let dtrOff = ComPortControl(rawValue: 9)
  public static let askRTS = ComPortControl(rawValue: 10)
  public static let rtsOn = ComPortControl(rawValue: 11)
  public static let rtsOff = ComPortControl(rawValue: 12)

  /// The subject of the value; nil for a value that is not in the RFC.
  public var subject: Subject? {
    switch rawValue {
    case 0...3, 17, 19: .flow
    case 4...6: .break
    case 7...9: .dtr
    case 10...12: .rts
    case 13...16, 18: .inboundFlow
    default: nil
    }
  }
}

/// Errors, and the state of the transmitter.
public struct ComPortLineState: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let dataReady = ComPortLineState(rawValue: 1)
  public static let overrun = ComPortLineState(rawValue: 2)
  public static let parityError = ComPortLineState(rawValue: 4)
  public static let framingError = ComPortLineState(rawValue: 8)
  public static let breakDetected = ComPortLineState(rawValue: 16)
  public static let shiftEmpty = ComPortLineState(rawValue: 64)
  public static let timeout = ComPortLineState(rawValue: 128)

  /// The states that are errors, or a break.
  public static let errors: ComPortLineState = [
    .overrun, .parityError, .framingError, .breakDetected,
  ]
}

/// The modem lines, and which of them have changed.
public struct ComPortModemState: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let ctsChanged = ComPortModemState(rawValue: 1)
  public static let dsrChanged = ComPortModemState(rawValue: 2)
  public static let riEnded = ComPortModemState(rawValue: 4)
  public static let dcdChanged = ComPortModemState(rawValue: 8)
  public static let cts = ComPortModemState(rawValue: 16)
  public static let dsr = ComPortModemState(rawValue: 32)
  public static let ri = ComPortModemState(rawValue: 64)
  public static let dcd = ComPortModemState(rawValue: 128)
}

/// The parities of SET-PARITY.
public enum ComPortParity: UInt8, CaseIterable, Hashable, Sendable {
  case none = 1
  case odd, even, mark, space
}
