extension LineSettings: CustomStringConvertible {
  /// The usual notation: `115200 8N1`, followed by `RTS/CTS` or `XON/XOFF` with flow control.
  public var description: String {
    let flow = flowControl == .none ? "" : " \(flowControl.label)"
    return "\(baudRate) \(dataBits.rawValue)\(parity.letter)\(stopBits.rawValue)\(flow)"
  }

  /// Parses what ``description`` prints, letters in either case: `9600 7e1`, `9600`, `115200 8N1
  /// RTS/CTS`. The defaults are 8N1 and no flow control.
  ///
  /// - Throws: ``ParsingError`` naming the word that is wrong.
  public init(parsing text: some StringProtocol) throws(ParsingError) {
    let words = text.split(separator: " ")
    guard let speed = words.first else { throw ParsingError(field: .baudRate, text: "") }
    self.init(baudRate: try Self.baudRate(parsing: speed))
    var rest = words.dropFirst()
    if let word = rest.first, word.first?.isWholeNumber == true {
      try setFraming(word)
      rest = rest.dropFirst()
    }
    if let word = rest.popFirst() {
      let label = word.uppercased()
      guard let flow = FlowControl.allCases.first(where: { $0.label == label }) else {
        throw ParsingError(field: .flowControl, text: String(word))
      }
      flowControl = flow
    }
    if let word = rest.first { throw ParsingError(field: .end, text: String(word)) }
  }

  /// Parses a baud rate: a whole number within ``baudRates``.
  ///
  /// - Throws: ``ParsingError``.
  public static func baudRate(parsing text: some StringProtocol) throws(ParsingError) -> UInt32 {
    // UInt32.init accepts a sign, which makes no sense in a baud rate.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let rate = UInt32(text), baudRates.contains(rate)
    else { throw ParsingError(field: .baudRate, text: String(text)) }
    return rate
  }

  private mutating func setFraming(_ word: some StringProtocol) throws(ParsingError) {
    let characters = Array(word.uppercased())
    guard characters.count == 3,
      let bits = characters[0].wholeNumberValue.flatMap(DataBits.init),
      let parity = Parity.allCases.first(where: { $0.letter == characters[1] }),
      let stop = characters[2].wholeNumberValue.flatMap(StopBits.init)
    else { throw ParsingError(field: .framing, text: String(word)) }
    (dataBits, self.parity, stopBits) = (bits, parity, stop)
  }

  /// A word that is not a line setting.
  public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the text that the word was parsed as.
    public let field: Field
    /// The word, as it was written.
    public let text: String

    /// The parts of the text, in order.
    public enum Field: Hashable, Sendable {
      /// The speed: `115200`.
      case baudRate
      /// Data bits, parity and stop bits: `8N1`.
      case framing
      /// Flow control: `RTS/CTS`.
      case flowControl
      /// What follows the last part.
      case end
    }

    /// What is wrong, and what is expected.
    public var description: String {
      switch field {
      case .baudRate:
        "'\(text)' is not a baud rate: expected a whole number from 1 to \(baudRates.upperBound)"
      case .framing: "'\(text)' is not a framing: expected data bits, parity, stop bits, as 8N1"
      case .flowControl: "'\(text)' is not a flow control: expected RTS/CTS or XON/XOFF"
      case .end: "'\(text)' is too much: expected speed, framing and flow control"
      }
    }
  }
}

extension LineSettings.Parity {
  /// The letter in `8N1`.
  public var letter: Character {
    switch self {
    case .none: "N"
    case .odd: "O"
    case .even: "E"
    case .mark: "M"
    case .space: "S"
    }
  }
}

extension LineSettings.FlowControl {
  /// The usual way to write it.
  public var label: String {
    switch self {
    case .none: "NONE"
    case .hard: "RTS/CTS"
    case .soft: "XON/XOFF"
    }
  }
}
