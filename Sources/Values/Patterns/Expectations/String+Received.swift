extension String {
  /// Decodes bytes to a text of the same length in UTF-8. Each invalid byte is replaced by U+001A
  /// (SUBSTITUTE), as in a search.
  init(received bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
      return
    }
    var repaired: [UInt8] = []
    repaired.reserveCapacity(bytes.count)
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar): repaired += scalar
      case .error(let length): repaired += repeatElement(0x1A, count: length)
      case .emptyInput:
        self = String(decoding: repaired, as: UTF8.self)
        return
      }
    }
  }
}
