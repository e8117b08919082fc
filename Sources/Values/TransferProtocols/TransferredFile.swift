/// The description of a file that one side sends to the other. Everything except the name
/// may be unknown.
package struct TransferredFile: Hashable, Sendable {
  /// The name as bytes, usually UTF-8. XMODEM transmits no name; then it is empty.
  package var name: [UInt8]
  /// The size in bytes.
  package var size: Int?
  /// The time of the last change, in seconds since 1970-01-01 UTC.
  package var modificationTime: Int?
  /// The file mode, as in the member `st_mode` of stat(2).
  package var mode: UInt32?

  package init(
    name: [UInt8], size: Int? = nil, modificationTime: Int? = nil, mode: UInt32? = nil
  ) {
    self.name = name
    self.size = size
    self.modificationTime = modificationTime
    self.mode = mode
  }
}
