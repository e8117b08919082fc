/// A file transfer that a program on the device offers or requests.
package enum DeviceOffer: Hashable, Sendable {
  /// The program sends files, and waits for a receiver.
  case sends(TransferProtocol)
  /// The program receives files, and requests them.
  case requests(TransferProtocol)

  /// The offer as text.
  package var words: String {
    switch self {
    case .sends(let kind): "the device offers files by \(kind.title)"
    case .requests(let kind): "the device asks for \(kind.requested)"
    }
  }

  /// The protocol of the files that the device requests; nil if it requests none.
  package var requestedProtocol: TransferProtocol? {
    if case .requests(let kind) = self { kind } else { nil }
  }
}

/// What a program on the device sends when it offers or requests files.
enum OfferSign: Sendable {
  /// This character, twice. Each arrives alone, and a while after any other byte.
  case request(UInt8)
  case header(Header)

  /// A text at the end of the received bytes, followed at most by CR, LF and XON.
  struct Header: Sendable {
    let start: [UInt8]
    /// A byte of ``start`` that is rare in text. Bytes without it are not searched.
    let rareByte: UInt8
    /// The length in bytes, with ``start``.
    let length: Int
    /// Whether a text of this length that begins with ``start`` is undamaged.
    let isValid: @Sendable (ArraySlice<UInt8>) -> Bool
  }
}
