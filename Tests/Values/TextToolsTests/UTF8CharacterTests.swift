import Testing
import TextTools

@Suite struct UTF8CharacterTests {
  /// The bytes at the ends of the ranges that the Unicode standard distinguishes.
  private static let next: [UInt8] = [
    0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF,
  ]
  private static let others: [UInt8] = [0x7F, 0x80, 0xBF, 0xC2]

  /// Adds the bytes of a text as long as they belong to its first character.
  ///
  /// - Returns: the character, if it is complete, and the number of bytes.
  private func first(of bytes: [UInt8]) -> (scalar: Unicode.Scalar?, count: Int) {
    guard var character = UTF8Character(first: bytes[0]) else { return (nil, 1) }
    var count = 1
    while !character.isComplete, count < bytes.count, character.append(bytes[count]) { count += 1 }
    return (character.isComplete ? Unicode.Scalar(character.codePoint) : nil, count)
  }

  @Test func `Characters, and the bytes that are none, end where the standard library ends them`() {
    for lead in 0x80...0xFF as ClosedRange<UInt8> {
      for second in Self.next {
        for third in Self.others {
          for fourth in Self.others {
            let bytes = [lead, second, third, fourth]
            for count in 1...4 {
              let text = Array(bytes.prefix(count))
              var expected: (scalar: Unicode.Scalar?, count: Int) = (nil, 0)
              var rest = text.makeIterator()
              var parser = UTF8.ForwardParser()
              switch parser.parseScalar(from: &rest) {
              case .valid(let encoded): expected = (UTF8.decode(encoded), encoded.count)
              case .error(let length): expected.count = length
              case .emptyInput: break
              }
              let found = first(of: text)
              let whole = text.withUnsafeBytes { UTF8Character.scalar(in: $0, at: 0) }
              if found != expected || whole != expected.scalar { Issue.record("\(text)") }
            }
          }
        }
      }
    }
  }

  @Test func `A character is read at its position`() {
    let text = Array("aü€😀".utf8)
    let found = text.withUnsafeBytes { text in
      text.indices.map { UTF8Character.scalar(in: text, at: $0) }
    }
    #expect(found == [nil, "ü", nil, "€", nil, nil, "😀", nil, nil, nil])
  }

  @Test func `Characters that change the screen or the direction of text are no text`() {
    func isText(_ scalar: Unicode.Scalar) -> Bool {
      let bytes = Array(String(scalar).utf8)
      guard var character = UTF8Character(first: bytes[0]) else { return false }
      return bytes.dropFirst().allSatisfy { character.append($0) } && character.isText
    }
    #expect(["\u{A0}", "ü", "\u{2029}", "\u{202F}", "😀"].allSatisfy(isText))
    #expect(!["\u{80}", "\u{9B}", "\u{202A}", "\u{202E}", "\u{2066}"].contains(where: isText))
  }
}
