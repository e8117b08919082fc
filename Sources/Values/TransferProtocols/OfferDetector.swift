/// Detects in the bytes of a device that a program offers or requests a file: the signs
/// of all protocols.
///
/// Text that only begins like a header does not count. An offer ends when any other byte arrives.
package struct OfferDetector: Sendable {
  /// The offer; nil if there is none.
  package private(set) var offer: DeviceOffer?
  /// The last bytes, if they may be the beginning of a header.
  private var tail: [UInt8] = []
  private var lastTime: Duration?
  /// A character that arrived alone, and must be repeated.
  private var candidate: UInt8?

  private static let signs: [(sign: OfferSign?, offer: DeviceOffer)] =
    TransferProtocol.allCases.flatMap {
      [($0.senderSign, .sends($0)), ($0.receiverSign, .requests($0))]
    }
  private static let requests: [(character: UInt8, offer: DeviceOffer)] = signs.compactMap {
    if case .request(let character) = $0.sign { (character, $0.offer) } else { nil }
  }
  private static let headers: [(header: OfferSign.Header, offer: DeviceOffer)] = signs.compactMap {
    if case .header(let header) = $0.sign { (header, $0.offer) } else { nil }
  }
  private static let firstBytes = Array(Set(headers.map { $0.header.start[0] }))
  private static let rareBytes = Array(Set(headers.map(\.header.rareByte)))
  private static let longestHeader = headers.map(\.header.length).max() ?? 0

  /// The number of the last bytes of a piece that are examined.
  private static let examinedLength = 128
  /// The bytes after a header: CR, LF and XON, with any highest bit.
  private static let headerEnd: Set<UInt8> = [0x0D, 0x8D, 0x0A, 0x8A, 0x11, 0x91]
  /// The minimum time before a receiver repeats its request.
  private static let pause = Duration.milliseconds(700)

  package init() {}

  /// Handles bytes of the device.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: Duration) {
    guard !bytes.isEmpty else { return }
    let isAfterPause = lastTime.map { now - $0 >= Self.pause } ?? true
    lastTime = now
    if bytes.count <= 2, isAfterPause, let request = Self.request(bytes) {
      offer = candidate == bytes[0] ? request : nil
      candidate = bytes[0]
      tail = []
      return
    }
    candidate = nil
    // Most text contains no byte that only headers have. Earlier bytes than these cannot belong to
    // the last header.
    let examined = bytes.suffix(Self.examinedLength)
    if tail.isEmpty, offer == nil, !Self.rareBytes.contains(where: examined.contains),
      !Self.firstBytes.contains(bytes[bytes.count - 1])
    {
      return
    }
    search(bytes)
  }

  /// Discards the bytes so far, because the port was lost or a transfer has begun.
  package mutating func reset() { self = OfferDetector() }

  private static func request(_ bytes: UnsafeRawBufferPointer) -> DeviceOffer? {
    guard bytes.allSatisfy({ $0 == bytes[0] }) else { return nil }
    return requests.first { $0.character == bytes[0] }?.offer
  }

  private mutating func search(_ bytes: UnsafeRawBufferPointer) {
    // Only the last header can be an offer: later bytes end it.
    let text = tail + bytes.suffix(Self.examinedLength)
    tail = Array(text.suffix(Self.longestHeader + 2))
    guard let (found, end) = Self.lastHeader(in: text) else {
      if !bytes.allSatisfy({ Self.headerEnd.contains($0) }) { offer = nil }
      if !tail.contains(where: Self.firstBytes.contains), offer == nil { tail = [] }
      return
    }
    offer = text[end...].allSatisfy { Self.headerEnd.contains($0) } ? found : nil
  }

  /// The last complete header, and the place after it.
  private static func lastHeader(in text: [UInt8]) -> (offer: DeviceOffer, end: Int)? {
    for place in text.indices.reversed() {
      for (header, offer) in headers where text[place...].starts(with: header.start) {
        let end = place + header.length
        if end <= text.count, header.isValid(text[place..<end]) { return (offer, end) }
      }
    }
    return nil
  }
}
