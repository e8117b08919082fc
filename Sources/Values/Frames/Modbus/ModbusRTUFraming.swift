import Checksums
public import Framing
public import TextStages
import TextTools

/// Frames of Modbus RTU: the function and its length say where a frame ends, and the CRC
/// confirms it.
///
/// The standard ends a frame by a silence, but adapters and networks merge and split reads, so that
/// a silence proves nothing here. It only helps: after ``silence``, an unfinished frame is not
/// waited for. After a damaged frame, the next one is the first place where function, length and
/// CRC fit.
public struct ModbusRTUFraming: Framing, Hashable {
  private var turns: ModbusTurns
  /// The number of places at the start of the bytes where no frame begins.
  private var rejectedCount = 0

  /// The most bytes of a frame, with address and CRC ("MODBUS over Serial Line" V1.02, 2.5.1).
  private static let limit = 256
  private static let checksumLength = 2

  /// - Parameter direction: the direction of the bytes; nil if the bytes of both directions
  ///   are mixed, as on a bus with one pair of wires. Requests are expected in the direction
  ///   to the device.
  public init(_ direction: Direction? = nil) {
    turns = ModbusTurns(direction)
  }

  /// 50 ms: adapters deliver the parts of a frame up to 16 ms apart, and USB hubs add some.
  public var silence: Duration? { .milliseconds(50) }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    let window = bytes.window(of: 2 * Self.limit + 1)
    let result = search(window, isEnd: isEnd && window.count == bytes.byteCount)
    if case .incomplete = result {} else { rejectedCount = 0 }
    return result
  }

  private mutating func search(
    _ bytes: ArraySlice<UInt8>, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    while rejectedCount < min(bytes.count, Self.limit) {
      switch candidate(in: bytes.dropFirst(rejectedCount), isEnd: isEnd) {
      case .frame where rejectedCount > 0: return damage(bytes.prefix(rejectedCount))
      case .frame(let length, let sender):
        return .frame(decoded(bytes.prefix(length), from: sender), length: length)
      case .unfinished: return .incomplete
      case .none: rejectedCount += 1
      }
    }
    return isEnd || rejectedCount == Self.limit
      ? damage(bytes.prefix(rejectedCount)) : .incomplete
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
      case .impossible: continue
      }
      let found = bytes.dropFirst(length).prefix(Self.checksumLength)
      if found.elementsEqual(Checksum.crc16Modbus.bytes(for: bytes.prefix(length))) {
        return .frame(length: length + Self.checksumLength, sender)
      }
    }
    return .none
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
  public static var modbusRTU: Self { modbusRTU(nil) }

  /// Messages of Modbus RTU in one direction: those of a server come from the device.
  public static func modbusRTU(_ direction: Direction?) -> Self {
    CheckedFraming(ModbusRTUFraming(direction))
  }
}
