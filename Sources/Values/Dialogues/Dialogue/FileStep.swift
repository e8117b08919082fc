package import TransferProtocols

/// Files that a script sends or receives: `send file "boot.bin" by ymodem`.
public struct FileStep: Hashable, Sendable {
  public enum Direction: Hashable, Sendable {
    /// A file is sent.
    case send
    /// Files are received into a folder.
    case receiveInto
    /// One file is received, because the protocol does not transmit its name.
    case receiveFile
  }

  public let direction: Direction
  /// The path of the file, or of the folder.
  public let path: [UInt8]
  package let fileProtocol: TransferProtocol
}
