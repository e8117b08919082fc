package import TextStages
import TextTools

/// Frames of Modbus RTU: the function and its length say where a frame ends, and the CRC
/// confirms it.
///
/// The standard ends a frame by a silence, but adapters and networks merge and split reads, so that
/// a silence proves nothing here. It only helps: after ``silence``, the rest of a frame is not
/// waited for. After a damaged frame, the next one is the first place where function, length and
/// CRC fit. A function of a manufacturer has no known length: its frame ends where the CRC fits and
/// a silence or another frame follows.
package struct ModbusRTUFraming: Framing, Hashable {
  private var turns: ModbusTurns
  /// The number of places at the start of the bytes where no frame begins.
  private var rejectedCount = 0
  /// 50 ms: adapters deliver the parts of a frame up to 16 ms apart, and USB hubs add some. 1 s for
  /// the rest of a frame that has begun: networks and gateways deliver its parts far apart.
  package private(set) var silence: Duration? = .seconds(1)

  /// The most bytes of a frame, with address and CRC ("MODBUS over Serial Line" V1.02, 2.5.1).
  private static let limit = 256
  private static let checksumLength = 2

  /// - Parameter direction: the direction of the bytes; nil if the bytes of both directions
  ///   are mixed, as on a bus with one pair of wires. Requests are expected in the direction
  ///   to the device.
  package init(_ direction: Direction? = nil) {
    turns = ModbusTurns(direction)
  }

  package mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    let window = bytes.window(of: 2 * Self.limit + 1)
    silence = .milliseconds(50)
    let result = search(window, isEnd: isEnd && window.count == bytes.byteCount)
    if case .incomplete = result {} else { rejectedCount = 0 }
    return result
  }

  private mutating func search(
    _ bytes: ArraySlice<UInt8>, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    while rejectedCount < min(bytes.count, Self.limit) {
      switch candidate(in: bytes.dropFirst(rejectedCount), isEnd: isEnd) {
      case .frame where rejectedCount > 0:
        let before = bytes.prefix(rejectedCount)
        return Self.firstOfFrames(filling: before).map { frame(before.prefix($0)) }
          ?? damage(before)
      case .frame(let length, let sender):
        return .frame(decoded(bytes.prefix(length), from: sender), length: length)
      case .unfinished:
        // After noise, one more byte is likely noise.
        let isNoise = rejectedCount > 0 && bytes.count == rejectedCount + 1
        if !isNoise || Self.hasUnknownLength(bytes) { waitForRest(of: bytes) }
        return .incomplete
      case .none: rejectedCount += 1
      }
    }
    let ofUnknownLength =
      isEnd
      ? Self.firstOfFrames(filling: bytes)
      : rejectedCount == Self.limit ? Self.firstOfTwoFrames(in: bytes.prefix(Self.limit)) : nil
    if let ofUnknownLength { return frame(bytes.prefix(ofUnknownLength)) }
    if isEnd || rejectedCount == Self.limit { return damage(bytes.prefix(rejectedCount)) }
    if Self.hasUnknownLength(bytes) { waitForRest(of: bytes) }
    return .incomplete
  }

  /// Waits longer for the rest of a frame, unless the bytes can be a whole frame of unknown length.
  private mutating func waitForRest(of bytes: ArraySlice<UInt8>) {
    if Self.hasUnknownLength(bytes), Self.lengths(ofFramesAtStartOf: bytes).last == bytes.count {
      return
    }
    silence = .seconds(1)
  }

  private mutating func frame(_ bytes: ArraySlice<UInt8>) -> FrameSearch<DecodedFrame> {
    .frame(decoded(bytes, from: turns.likelySender(of: bytes)), length: bytes.count)
  }

  // MARK: Candidates

  private enum Candidate {
    case frame(length: Int, ModbusMessage.Sender)
    case unfinished, none
  }

  /// The frame that begins with these bytes, if its CRC is right.
  ///
  /// The less likely sender counts only when the other one is out of the question, so that the
  /// result does not depend on how many bytes have arrived.
  private func candidate(in bytes: ArraySlice<UInt8>, isEnd: Bool) -> Candidate {
    let message = ModbusMessage(bytes)
    // A request and its answer can look the same.
    for sender in turns.likelySender(of: bytes) == .server
      ? [.server, .client] : [.client, .server] as [ModbusMessage.Sender]
    {
      let length: Int
      switch sender == .client ? message.requestLength : message.answerLength {
      case .known(let known) where bytes.count >= known + Self.checksumLength: length = known
      case .known, .needsMore:
        if isEnd { continue }
        return .unfinished
      case .impossible, .unknown: continue
      }
      let found = bytes.dropFirst(length).prefix(Self.checksumLength)
      if found.elementsEqual(Checksum.crc16Modbus.bytes(for: bytes.prefix(length))) {
        return .frame(length: length + Self.checksumLength, sender)
      }
    }
    return .none
  }

  // MARK: Functions of manufacturers

  /// Whether bytes begin with a function of a manufacturer.
  private static func hasUnknownLength(_ bytes: ArraySlice<UInt8>) -> Bool {
    ModbusMessage(bytes.prefix(2)).requestLength == .unknown
  }

  /// The length of the first of one or more frames of unknown length that fill these bytes.
  private static func firstOfFrames(filling bytes: ArraySlice<UInt8>) -> Int? {
    guard hasUnknownLength(bytes) else { return nil }
    var canBegin = [Bool](repeating: false, count: bytes.count) + [true]
    var first: Int?
    for offset in bytes.indices.map({ $0 - bytes.startIndex }).reversed() {
      let rest = bytes.dropFirst(offset)
      guard hasUnknownLength(rest) else { continue }
      first = lengths(ofFramesAtStartOf: rest).first { canBegin[offset + $0] }
      canBegin[offset] = first != nil
    }
    return first
  }

  /// The length of the first of two frames of unknown length at the start of these bytes.
  private static func firstOfTwoFrames(in bytes: ArraySlice<UInt8>) -> Int? {
    guard hasUnknownLength(bytes) else { return nil }
    return lengths(ofFramesAtStartOf: bytes).first {
      let rest = bytes.dropFirst($0)
      return hasUnknownLength(rest) && !lengths(ofFramesAtStartOf: rest).isEmpty
    }
  }

  /// The lengths at which the CRC of a frame fits, which has an address, a function and a CRC.
  private static func lengths(ofFramesAtStartOf bytes: ArraySlice<UInt8>) -> [Int] {
    // The CRC of a message with its CRC is zero.
    var (crc, lengths) = (Checksum.CRC16Modbus(), [Int]())
    for (index, byte) in bytes.enumerated() {
      crc.update(with: byte)
      if crc.value == 0, index + 1 >= 2 + checksumLength { lengths.append(index + 1) }
    }
    return lengths
  }

  private mutating func decoded(
    _ frame: ArraySlice<UInt8>, from sender: ModbusMessage.Sender
  ) -> DecodedFrame {
    turns.add(frame, from: sender)
    return DecodedFrame(
      check: .good,
      meaning: ModbusMessage(frame.dropLast(Self.checksumLength)).meaning(from: sender),
      isRequest: sender == .client)
  }

  /// Bytes that are no frame: a frame with a wrong CRC if they are as long as one can be, else
  /// stray bytes.
  private func damage(_ bytes: ArraySlice<UInt8>) -> FrameSearch<DecodedFrame> {
    let message = ModbusMessage(bytes)
    let lengths = [message.requestLength, message.answerLength]
    guard lengths.contains(.known(bytes.count - Self.checksumLength)) else {
      return .frame(.stray, length: bytes.count)
    }
    let (found, expected) = (
      bytes.suffix(Self.checksumLength),
      Checksum.crc16Modbus.bytes(for: bytes.dropLast(Self.checksumLength))
    )
    return .frame(
      DecodedFrame(
        check: .bad("CRC \(HexText.spaced(found)), expected \(HexText.spaced(expected))")),
      length: bytes.count)
  }
}

extension Framing where Self == CheckedFraming {
  /// Messages of Modbus RTU, of a bus with one pair of wires.
  public static var modbusRTU: Self { CheckedFraming(ModbusRTUFraming(nil)) }
}
