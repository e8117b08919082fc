import TextTools

/// Converts text to the encoding of a device.
///
/// After each text the encoding is in its initial state again, so that other bytes can follow. A
/// byte order mark is never written, because nobody knows where a serial line begins.
public final class EncodingWriter {
  /// The encoding.
  public let encoding: Encoding
  private let converter: CharacterConverter
  /// The bytes of an incomplete character that was typed: at most 3.
  private var pending: [UInt8] = []
  /// Whether the header of the encoding is not written yet. It is a designation, as in ISO-2022-KR.
  private var needsHeader: Bool

  /// Creates a writer.
  ///
  /// - Throws: ``EncodingError``.
  public init(_ encoding: Encoding) throws(EncodingError) {
    self.encoding = encoding
    converter = try encoding.encoder()
    needsHeader = encoding.unit == 1
  }

  /// Converts a whole text, and appends the result.
  ///
  /// - Throws: ``UnencodableText`` for the first character that the encoding does not have. Nothing
  ///   is appended then.
  public func encode(
    _ text: String, into output: inout [UInt8]
  ) throws(UnencodableText) {
    let count = output.count
    var refusal: UnencodableText?
    let rest = convert(Array(text.utf8), into: &output) { error in
      refusal = error
      return false
    }
    // A Swift string has no incomplete characters.
    assert(refusal != nil || rest == 0)
    guard let refusal else { return finish(from: count, in: &output) }
    converter.reset()
    output.removeSubrange(count...)
    throw refusal
  }

  /// Converts the characters in bytes, and appends the result. Bytes that are no part of a
  /// character in UTF-8 stay as they are: an escape such as `\xff` gives a byte of the
  /// device's encoding.
  ///
  /// - Throws: ``UnencodableText`` for the first character that the encoding does not have. Nothing
  ///   is appended then.
  public func encode(
    _ bytes: [UInt8], into output: inout [UInt8]
  ) throws(UnencodableText) {
    let count = output.count
    do throws(UnencodableText) {
      for part in TextRun.runs(in: bytes) {
        switch part {
        case .text(let text): try encode(text, into: &output)
        case .bytes(let bytes): output += bytes
        }
      }
    } catch {
      output.removeLast(output.count - count)
      throw error
    }
  }

  /// Converts typed bytes in UTF-8, and appends the result. An incomplete character waits for the
  /// next call.
  ///
  /// - Returns: the characters that the encoding does not have, and bytes that are not UTF-8. They
  ///   are left out.
  public func type(
    _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) -> [UnencodableText] {
    let count = output.count
    let typed = pending + bytes
    var refusals: [UnencodableText] = []
    let rest = convert(typed, into: &output) { error in
      refusals.append(error)
      return true
    }
    pending = Array(typed.suffix(rest))
    finish(from: count, in: &output)
    return refusals
  }

  /// Converts as much as possible.
  ///
  /// - Parameter skips: receives what cannot be converted, and returns whether to continue
  ///   after it.
  /// - Returns: the number of bytes of an incomplete character at the end.
  private func convert(
    _ text: [UInt8], into output: inout [UInt8], skips: (UnencodableText) -> Bool
  ) -> Int {
    text.withUnsafeBytes { text in
      var rest = text
      while !rest.isEmpty {
        let (count, stop) = converter.convert(rest, into: &output)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        switch stop {
        case .end: break
        case .incomplete where rest.count < 4: return rest.count
        case .incomplete, .invalid:
          let (length, error) = refusal(of: rest)
          guard skips(error) else { return 0 }
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
        }
      }
      return 0
    }
  }

  /// What cannot be converted at the beginning of bytes, and its length.
  private func refusal(of bytes: UnsafeRawBufferPointer) -> (length: Int, UnencodableText) {
    for length in 1...min(4, bytes.count) {
      if let text = String(validating: bytes.prefix(length), as: UTF8.self),
        let scalar = text.unicodeScalars.first
      {
        return (length, .character(scalar, encoding))
      }
    }
    return (1, .byte(bytes[0]))
  }

  /// Appends the sequence that returns to the initial state, and removes a header that was
  /// written before.
  private func finish(from start: Int, in output: inout [UInt8]) {
    converter.reset(into: &output)
    guard !encoding.header.isEmpty, output[start...].starts(with: encoding.header) else { return }
    // With the header alone, the header is not needed yet.
    if !needsHeader || output.count - start == encoding.header.count {
      output.removeSubrange(start..<start + encoding.header.count)
    } else {
      needsHeader = false
    }
  }
}

/// A part of a text that cannot be sent in an encoding.
public enum UnencodableText: Error, Hashable, Sendable {
  /// The encoding does not have this character.
  case character(Unicode.Scalar, Encoding)
  /// The byte is not part of a character in UTF-8.
  case byte(UInt8)
}

extension UnencodableText {
  /// The length in UTF-8, in bytes.
  public var utf8Count: Int {
    switch self {
    case .character(let scalar, _): UTF8.width(scalar)
    case .byte: 1
    }
  }
}

extension UnencodableText: CustomStringConvertible {
  /// The character with its number: `"ž" (U+017E) does not exist in CP437`.
  public var description: String {
    switch self {
    case .character(let scalar, let encoding):
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      let isShown = scalar.isShownAsItself
      return (isShown ? "\"\(scalar)\" (\(number))" : number) + " does not exist in \(encoding)"
    case .byte(let byte):
      var text: [UInt8] = []
      text.append(hex: UInt64(byte), digits: 2)
      return "the byte \\x\(String(decoding: text, as: UTF8.self)) is not UTF-8"
    }
  }
}
