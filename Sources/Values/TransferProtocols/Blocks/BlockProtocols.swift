/// The protocols that send a file as numbered blocks.
enum BlockProtocol: Hashable, Sendable, CaseIterable {
  /// Blocks of 128 bytes and a CRC-16, or a checksum if the receiver requests that.
  case xmodem
  /// XMODEM with blocks of 1,024 bytes.
  case xmodem1K
  /// Several files, with names, sizes and times.
  case ymodem
  /// YMODEM without acknowledgements, for lines that lose nothing.
  case ymodemG

  /// Whether a block with the description of the file precedes each file.
  var sendsHeaders: Bool {
    switch self {
    case .xmodem, .xmodem1K: false
    case .ymodem, .ymodemG: true
    }
  }
}

extension TransferProtocol {
  package static let xmodem = TransferProtocol(
    "xmodem", "XMODEM", detail: "blocks of 128 bytes; no name", sendsSeveralFiles: false,
    sendsNames: false, acknowledgedBlock: Block.short,
    receiverSign: .request(BlockCharacter.nak),
    sender: { BlockSender(.xmodem, conditions: $0) },
    receiver: { BlockReceiver(.xmodem, conditions: $0) })

  /// XMODEM's receiver accepts long blocks, too.
  package static let xmodem1K = TransferProtocol(
    "xmodem-1k", "XMODEM-1K", detail: "blocks of 1,024 bytes; no name", sendsSeveralFiles: false,
    sendsNames: false, acknowledgedBlock: Block.long,
    sender: { BlockSender(.xmodem1K, conditions: $0) })

  package static let ymodem = TransferProtocol(
    "ymodem", "YMODEM", detail: "names and sizes; loady, rb", sendsSeveralFiles: true,
    sendsNames: true, acknowledgedBlock: Block.long,
    receiverSign: .request(BlockCharacter.c), requested: "a file by XMODEM or YMODEM",
    sender: { BlockSender(.ymodem, conditions: $0) },
    receiver: { BlockReceiver(.ymodem, conditions: $0) })

  package static let ymodemG = TransferProtocol(
    "ymodem-g", "YMODEM-g", detail: "for lines that lose nothing", sendsSeveralFiles: true,
    sendsNames: true,
    receiverSign: .request(BlockCharacter.g),
    sender: { BlockSender(.ymodemG, conditions: $0) },
    receiver: { BlockReceiver(.ymodemG, conditions: $0) })
}
