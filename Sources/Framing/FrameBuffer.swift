/// Received bytes that are not taken yet, and the frames in them.
///
/// ```swift
/// var buffer = FrameBuffer(.lines())
/// buffer.append(piece)
/// while let result = buffer.next() { print(try result.get()) }
/// ```
///
/// It keeps at most one unfinished frame, which the framing's limit bounds, besides what was appended and
/// not asked for.
public struct FrameBuffer<Format: Framing>: Sendable {
  /// The framing, with what it keeps between frames.
  public private(set) var framing: Format
  private var bytes: [UInt8] = []
  /// The number of bytes at the front that were taken.
  private var takenCount = 0
  /// The number of bytes behind them that were searched for the next frame.
  private var searchedCount = 0

  /// Creates an empty buffer.
  public init(_ framing: Format) { self.framing = framing }

  /// The number of bytes that are in no frame yet.
  public var count: Int { bytes.count - takenCount }

  /// Adds received bytes.
  public mutating func append(_ piece: some Sequence<UInt8>) {
    // Moving costs no more than what was taken.
    if takenCount > bytes.count / 2 {
      bytes.removeFirst(takenCount)
      takenCount = 0
    }
    bytes += piece
  }

  /// Takes the bytes that are in no frame yet, for what follows the frames.
  public mutating func takeRest() -> [UInt8] {
    defer { (bytes, takenCount, searchedCount) = ([], 0, 0) }
    return Array(bytes[takenCount...])
  }

  /// Takes the next frame.
  ///
  /// - Parameter isEnd: Nothing follows in this frame: the framing's ``Framing/silence`` has passed since the
  ///   last byte, or the device is gone for good. Repeat it until the result is nil.
  /// - Returns: a frame, or what is wrong with bytes that are none; nil if more bytes are needed.
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
        takenCount += length
        return .success(frame)
      case .damaged(let damage, let length):
        takenCount += length
        return .failure(damage)
      case .skip(let length): takenCount += length
      }
    }
  }
}
