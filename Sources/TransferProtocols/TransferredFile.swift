/// What one side tells the other about a file. All of it but the name may be unknown.
public struct TransferredFile: Hashable, Sendable {
  /// The name: bytes, usually UTF-8. XMODEM sends none: it is empty then.
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
