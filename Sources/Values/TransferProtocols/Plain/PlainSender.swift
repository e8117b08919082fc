/// Sends files without a protocol: the bytes unchanged, or text with the line ends that
/// a device expects.
///
/// Nothing is acknowledged. A file counts as sent when the driver has taken it.
struct PlainSender: TransferMachine {
  private let lineEnd: [UInt8]?
  private var offset = 0
  private var isRead = false
  /// Whether the last piece ended with CR. A following LF belongs to the same line end.
  private var hasCarriageReturn = false
  private var unsentCount = 0

  private static let piece = 16_384
  private static let level = 16_384

  /// Creates the sender.
  ///
  /// - Parameter lineEnd: the replacement for each line end (LF, CR or CRLF); nil to send
  ///   every byte unchanged.
  init(lineEnd: [UInt8]? = nil) { self.lineEnd = lineEnd }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    switch event {
    case .begun: return [.nextFile]
    case .file(nil): return [.finish(.done)]
    case .file:
      (offset, isRead, hasCarriageReturn) = (0, false, false)
      return [.awaitRoom(below: Self.level)]
    case .room: return [.read(at: offset, count: Self.piece)]
    case .read([]):
      isRead = true
      return endIfSent
    case .read(let bytes):
      offset += bytes.count
      let text = lineEnd.map { convert(bytes, $0) } ?? bytes
      unsentCount += text.count
      return (text.isEmpty ? [] : [.send(text)]) + [.awaitRoom(below: Self.level)]
    case .sent(let count):
      unsentCount -= count
      return [.progress(TransferProgress(position: max(offset - unsentCount, 0)))] + endIfSent
    case .storageFailed: return [.withdraw, .finish(.failed(.storage))]
    case .stopped: return [.withdraw, .finish(.failed(.stopped))]
    case .lost: return [.finish(.failed(.cutOff))]
    case .received(let bytes): return [.pass(bytes)]
    case .accepted, .declined, .checksum, .woken, .regained: return []
    }
  }

  private var endIfSent: [TransferAction] {
    isRead && unsentCount == 0
      ? [.progress(TransferProgress(position: offset)), .endFile(.complete), .nextFile] : []
  }

  private mutating func convert(_ bytes: [UInt8], _ lineEnd: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\r"): text += lineEnd
      case UInt8(ascii: "\n"): if !hasCarriageReturn { text += lineEnd }
      default: text.append(byte)
      }
      hasCarriageReturn = byte == UInt8(ascii: "\r")
    }
    return text
  }
}
