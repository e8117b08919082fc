import TextTools

/// A way to send and receive files, as a record.
///
/// A protocol is a folder with its machines and its record, and its place in ``allCases``. Options,
/// scripts, the palette and the detection of offers read the record.
package struct TransferProtocol: Sendable {
  /// The name in options, scripts and JSON.
  package let rawValue: String
  /// The name in the form of its specification.
  package let title: String
  /// A description that helps the user to choose.
  package let detail: String
  /// Whether bytes are sent like typed ones, without a protocol: pacing applies.
  package let isPlain: Bool
  /// Whether the line must have 8 data bits.
  package let needsEightBits: Bool
  /// Whether one transfer can send several files.
  package let sendsSeveralFiles: Bool
  /// Whether the names of the files are transmitted. Otherwise the receiver chooses a name.
  package let sendsNames: Bool
  /// Whether it continues after an interruption, and continues a partial file of
  /// an earlier transfer.
  package let resumes: Bool
  /// Whether it works on a line that interprets XON and XOFF. A plain file is sent on any line.
  package let avoidsFlowControl: Bool
  /// The number of bytes in each block whose answer the sender awaits; nil if it does not wait.
  package let acknowledgedBlock: Int?
  /// What a sender on the device sends while it waits for a receiver; nil if it cannot be detected.
  let senderSign: OfferSign?
  /// What a receiver on the device sends while it waits for a sender; nil if it cannot be detected.
  let receiverSign: OfferSign?
  /// What such a receiver asks for, as text.
  let requested: String
  /// Makes the machine that sends files.
  package let sender: @Sendable (TransferConditions) -> any TransferMachine
  /// Makes the machine that receives files; nil if the protocol is only for sending.
  package let receiver: (@Sendable (TransferConditions) -> any TransferMachine)?

  init(
    _ name: String, _ title: String, detail: String, isPlain: Bool = false,
    needsEightBits: Bool = true, sendsSeveralFiles: Bool, sendsNames: Bool, resumes: Bool = false,
    avoidsFlowControl: Bool = false, acknowledgedBlock: Int? = nil, senderSign: OfferSign? = nil,
    receiverSign: OfferSign? = nil, requested: String? = nil,
    sender: @escaping @Sendable (TransferConditions) -> any TransferMachine,
    receiver: (@Sendable (TransferConditions) -> any TransferMachine)? = nil
  ) {
    rawValue = name
    self.title = title
    self.detail = detail
    self.isPlain = isPlain
    self.needsEightBits = needsEightBits
    self.sendsSeveralFiles = sendsSeveralFiles
    self.sendsNames = sendsNames
    self.resumes = resumes
    self.avoidsFlowControl = avoidsFlowControl
    self.acknowledgedBlock = acknowledgedBlock
    self.senderSign = senderSign
    self.receiverSign = receiverSign
    self.requested = requested ?? "\(sendsSeveralFiles ? "files" : "a file") by \(title)"
    self.sender = sender
    self.receiver = receiver
  }
}

extension TransferProtocol: CaseIterable, RawRepresentable {
  /// All protocols, in the order in which they are listed. The question for a protocol to receive
  /// by lists the standard one, then the others in reverse.
  package static let allCases: [TransferProtocol] = [
    .raw, .ascii, .xmodem, .xmodem1K, .ymodem, .ymodemG, .zmodem,
  ]

  /// The one that sends a file if the user names none.
  package static let standardToSend = raw

  /// The one that receives files if the user names none.
  package static let standardToReceive = zmodem

  /// The protocols besides plain bytes.
  package static let transferring = allCases.filter { !$0.isPlain }

  /// The protocols whose senders on the device announce themselves.
  package static let announced = allCases.filter { $0.senderSign != nil }

  /// The protocols that can receive.
  package static let receiving = allCases.filter { $0.receiver != nil }

  /// Finds a protocol by its name.
  package init?(rawValue: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }
}

extension [TransferProtocol] {
  /// The names as alternatives: `ymodem, ymodem-g or zmodem`.
  package var alternatives: String { map(\.rawValue).joined(lastBy: "or") }

  /// The titles as an enumeration: `YMODEM, YMODEM-g and ZMODEM`.
  package var titles: String { map(\.title).joined(lastBy: "and") }
}

extension TransferProtocol: Hashable {
  package static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }

  package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
