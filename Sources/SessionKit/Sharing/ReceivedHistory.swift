/// The bytes that a device sent last, with their times, for those who join a session later.
struct ReceivedHistory {
  /// Bytes that came at about the same time.
  struct Piece: Hashable {
    /// In nanoseconds since 1970-01-01 UTC.
    let time: UInt64
    var bytes: [UInt8]
  }

  private var pieces: [Piece] = []
  /// The number of old pieces at the front that were dropped.
  private var head = 0
  private var byteCount = 0

  /// The most bytes that are kept.
  static let capacity = 65_536
  /// Bytes that come within this time share one, in nanoseconds.
  private static let resolution: UInt64 = 10_000_000
  /// The most bytes of a piece: old ones are dropped by pieces.
  private static let pieceSize = 4_096

  /// What is kept, the oldest first.
  var all: ArraySlice<Piece> { pieces[head...] }

  /// Adds bytes, and drops the oldest.
  mutating func add(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
    var rest = bytes.suffix(Self.capacity)
    byteCount += rest.count
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceSize)
      rest = rest.dropFirst(piece.count)
      let last = pieces.count - 1
      if last >= head, pieces[last].bytes.count + piece.count <= Self.pieceSize,
        time &- pieces[last].time < Self.resolution
      {
        pieces[last].bytes.append(contentsOf: piece)
      } else {
        pieces.append(Piece(time: time, bytes: Array(piece)))
      }
    }
    while byteCount > Self.capacity || pieces.count - head > Self.pieceLimit { dropFirst() }
  }

  /// Bounds the memory of a device that sends single bytes: a piece has some dozens of bytes besides its own.
  private static let pieceLimit = 2_048

  private mutating func dropFirst() {
    byteCount -= pieces[head].bytes.count
    pieces[head].bytes = []
    head += 1
    guard head > 64, head > pieces.count / 2 else { return }
    pieces.removeFirst(head)
    head = 0
  }
}
