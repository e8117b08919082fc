import TextStages

/// Collects the lines of a device for the search for addresses.
///
/// LF, CR and CRLF end a line. Escape sequences are not part of it, and its text beyond
/// ``AddressFinder/maximumLength`` is left out.
public struct LineCollector: Sendable {
  private var stripper = SequenceStripper()
  private var line: [UInt8] = []
  /// Whether the open line has text that ``unfinished()`` has not returned.
  public private(set) var isWaiting = false

  public init() {}

  /// Adds received bytes.
  ///
  /// - Parameter report: called with each complete line that has text, and the number of bytes of
  ///   this piece up to the end of the line.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, _ report: (_ line: [UInt8], _ end: Int) -> Void
  ) {
    var (start, index) = (0, 0)
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      guard byte == 0x0A || byte == 0x0D else { continue }
      add(UnsafeRawBufferPointer(rebasing: bytes[start..<(index - 1)]))
      if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
      start = index
      guard !line.isEmpty else { continue }
      report(line, index)
      line.removeAll(keepingCapacity: true)
      isWaiting = false
    }
    add(UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  /// The line so far, because the device pauses; nil if it has nothing new.
  public mutating func unfinished() -> [UInt8]? {
    guard isWaiting else { return nil }
    isWaiting = false
    return line
  }

  private mutating func add(_ piece: UnsafeRawBufferPointer) {
    guard !piece.isEmpty, line.count <= AddressFinder.maximumLength else { return }
    let before = line.count
    stripper.strip(piece, into: &line)
    if line.count > before { isWaiting = true }
  }
}
