extension String {
  /// A device's bytes as a text of exactly as many: what is no UTF-8 reads as U+001A, the control
  /// character SUBSTITUTE, so that a place in the text is a place in the bytes.
  public init(received bytes: [UInt8]) {
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
