/// A buffer for received bytes, which returns the frames in them.
///
/// ```swift
/// var buffer = FrameBuffer(.lines())
/// buffer.append(piece)
/// while let result = buffer.next() { print(try result.get()) }
/// ```
///
/// When ``next(isEnd:)`` returns nil, the buffer contains at most one unfinished frame.
public struct FrameBuffer<Format: Framing>: Sendable {
  /// The framing, in its present state.
  public private(set) var framing: Format
  private var bytes: [UInt8] = []
  /// The number of bytes at the start that are no longer needed.
  private var takenCount = 0
  /// The number of bytes after these that were searched for the next frame.
  private var searchedCount = 0

  /// Creates an empty buffer.
  public init(_ framing: Format) { self.framing = framing }

  /// The number of bytes that were not part of a result yet.
  public var count: Int { bytes.count - takenCount }

  /// Adds received bytes.
  public mutating func append(_ piece: some Sequence<UInt8>) {
    // At most half of the bytes are moved, so that each byte is moved only a few times.
    if takenCount > bytes.count / 2 {
      bytes.removeFirst(takenCount)
      takenCount = 0
    }
    bytes += piece
  }

  /// Removes and returns the bytes that were not part of a result yet, to continue
  /// with another format.
  public mutating func removeRest() -> [UInt8] {
    defer { (bytes, takenCount, searchedCount) = ([], 0, 0) }
    return Array(bytes[takenCount...])
  }

  /// Removes and returns the next frame, or the reason why bytes are not a valid frame.
  ///
  /// - Parameter isEnd: Whether the last frame ends here: the framing's ``Framing/silence`` has
  ///   passed since the last byte, or the device is gone. Repeat the call until the result is nil.
  /// - Returns: nil if more bytes are needed.
  public mutating func next(isEnd: Bool = false) -> Result<Format.Frame, FrameDamage>? {
    let received = bytes
    while true {
      let found = framing.search(
        received.span.bytes.extracting(droppingFirst: takenCount), searched: searchedCount,
        isEnd: isEnd)
      searchedCount = 0
      switch found {
      case .incomplete:
        searchedCount = count
        return nil
      case .frame(let frame, let length):
        remove(length)
        return .success(frame)
      case .damaged(let damage, let length):
        remove(length)
        return .failure(damage)
      case .skip(let length), .rest(let length): remove(length)
      }
    }
  }

  private mutating func remove(_ length: Int) {
    precondition((1...count).contains(length), "a framing returned a length of \(length)")
    takenCount += length
  }
}
