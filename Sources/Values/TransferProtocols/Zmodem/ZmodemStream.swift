/// The data of a file on their way to the receiver: the frame, its subpackets, and what the
/// receiver has acknowledged.
struct ZmodemStream {
  /// The position in the file after the data that were sent.
  private(set) var position = 0
  /// The end of the file: its announced size, or the end found by reading.
  private(set) var endPosition: Int?
  /// The position at which the data last began.
  private(set) var startPosition = 0
  /// The position whose acknowledgement is awaited.
  private(set) var awaited: Int?
  /// The maximum number of bytes in a frame; nil for no limit.
  var frameLimit: Int?

  private var frameStart: Int?
  private var acknowledged = 0
  /// Whether the receiver acknowledges the first subpacket of the frame.
  private var isResuming = false
  /// The maximum number of unacknowledged bytes; nil for no limit.
  private let window: Int?
  private var packetLength: Int
  private let longestPacket: Int
  /// The number of subpackets since the last error.
  private var goodCount = 0

  init(window: Int?, bytesPerSecond: Int?) {
    self.window = window.map { max($0, 256) }
    // The specification recommends these lengths.
    longestPacket =
      switch bytesPerSecond {
      case .some(..<240): 256
      case .some(..<480): 512
      default: 1_024
      }
    packetLength = longestPacket
  }

  /// Adopts what a receiver can do.
  mutating func adopt(bufferLength: Int, canStream: Bool) {
    frameLimit = bufferLength > 0 ? max(bufferLength, 32) : canStream ? nil : longestPacket
  }

  /// Prepares for the next file.
  mutating func reset(size: Int?) {
    position = 0
    endPosition = size
    packetLength = longestPacket
  }

  /// Whether a position is in the file.
  func contains(_ position: Int) -> Bool { position <= endPosition ?? .max }

  /// Whether the window is full, so that only an acknowledgement makes room.
  var isFull: Bool { window.map { position - acknowledged >= $0 } ?? false }

  /// Begins at a position.
  ///
  /// - Parameter isResuming: whether the receiver must acknowledge the first subpacket.
  mutating func start(at position: Int, isResuming: Bool) {
    self.isResuming = isResuming
    self.position = position
    startPosition = position
    acknowledged = position
    awaited = nil
    frameStart = nil
  }

  /// Makes the subpackets shorter, because one was damaged.
  mutating func shortenPackets() {
    packetLength = max(packetLength / 2, 64)
    goodCount = 0
  }

  /// The reaction to an acknowledgement.
  enum Acknowledgement {
    /// It does not belong to the data under way.
    case unexpected
    case repeated, advanced
    /// It is the awaited one.
    case awaited
  }

  mutating func acknowledge(_ number: Int) -> Acknowledgement {
    guard number <= position, number >= acknowledged else { return .unexpected }
    let isAdvance = number > acknowledged
    acknowledged = number
    guard number == awaited else { return isAdvance ? .advanced : .repeated }
    awaited = nil
    frameStart = nil
    return .awaited
  }

  // MARK: Frames

  /// Encodes an empty frame at the present position, which the receiver acknowledges, or answers
  /// with the position that it needs.
  mutating func probe(with encoder: inout ZmodemEncoder) {
    begin(with: &encoder)
    encoder.append([], end: .waits)
    frameStart = nil
    awaited = position
    acknowledged = min(acknowledged, position)
  }

  /// The number of bytes to send next; 0 at the end of the file, nil while only an
  /// acknowledgement makes room.
  func nextCount(upTo most: Int) -> Int? {
    guard !isFull else { return nil }
    var count = isResuming ? packetLength : max(most / packetLength, 1) * packetLength
    if let frameLimit { count = min(count, frameLimit - (frameStart.map { position - $0 } ?? 0)) }
    if let window { count = min(count, window - (position - acknowledged), max(window / 4, 64)) }
    if let endPosition { count = min(count, endPosition - position) }
    return count
  }

  /// The file ends after these bytes, which are not sent yet.
  mutating func endFile(after count: Int) { endPosition = position + count }

  /// Encodes the next bytes of the file, with the header of a frame if a new one begins.
  mutating func encode(_ bytes: [UInt8], with encoder: inout ZmodemEncoder) {
    let isLast = position + bytes.count == endPosition
    encoder.reserve(bytes.count)
    if frameStart == nil { begin(with: &encoder) }
    let frameStart = frameStart ?? position
    let frameIsFull = frameLimit.map { position + bytes.count - frameStart >= $0 } ?? false
    let awaitsAnswer = isLast || isResuming || frameIsFull
    let end: ZmodemEnd = awaitsAnswer ? .waits : window == nil ? .continues : .acknowledged
    bytes.withUnsafeBytes { data in
      var offset = 0
      repeat {
        let count = min(packetLength, data.count - offset)
        encoder.append(
          UnsafeRawBufferPointer(rebasing: data[offset..<(offset + count)]),
          end: offset + count < data.count ? .continues : end)
        offset += count
        goodCount += 1
      } while offset < data.count
    }
    position += bytes.count
    if awaitsAnswer { awaited = position }
    isResuming = false
    if goodCount >= 16, packetLength < longestPacket {
      goodCount = 0
      packetLength *= 2
    }
  }

  private mutating func begin(with encoder: inout ZmodemEncoder) {
    // Two pads, because the first one is lost if the withdrawn bytes ended with ZDLE.
    encoder.append(raw: [ZmodemCharacter.pad])
    encoder.append(ZmodemHeader(.zdata, position))
    frameStart = position
  }
}
