extension String {
  /// The text as one word: spaces, control characters and percent signs are written like `%20`.
  var percentEncoded: String {
    var result: [UInt8] = []
    for byte in utf8 {
      if byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "%") {
        result.append(byte)
      } else {
        result += Array((byte < 0x10 ? "%0" : "%").utf8) + Array(String(byte, radix: 16).utf8)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes the form of ``percentEncoded``; nil if the text has another form.
  init?(percentEncoded text: Substring) {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    self = String(decoding: bytes, as: UTF8.self)
  }
}
