/// The description of a file that one side sends to the other. Everything except the name
/// may be unknown.
public struct TransferredFile: Hashable, Sendable {
  /// The name as bytes, usually UTF-8. XMODEM transmits no name; then it is empty.
  public var name: [UInt8]
  /// The size in bytes.
  public var size: Int?
  /// The time of the last change, in seconds since 1970-01-01 UTC.
  public var modificationTime: Int?
  /// The file mode, as in the member `st_mode` of stat(2).
  public var mode: UInt32?

  public init(
    name: [UInt8], size: Int? = nil, modificationTime: Int? = nil, mode: UInt32? = nil
  ) {
    self.name = name
    self.size = size
    self.modificationTime = modificationTime
    self.mode = mode
  }
}
