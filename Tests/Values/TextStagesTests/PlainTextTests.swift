import TestSupport
import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct PlainTextTests {
  /// Calls a function with random bytes and a position among them. Most of them are from a few.
  private func forEach(of few: [UInt8], _ body: (UnsafeRawBufferPointer, Int) -> Void) {
    var random = SplitMix64(seed: 3)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...200, using: &random)
      var bytes = (0..<count).map { _ in few.randomElement(using: &random) ?? 0 }
      for _ in 0..<Int.random(in: 0...2, using: &random) where count > 0 {
        bytes[Int.random(in: 0..<count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let start = Int.random(in: 0...count, using: &random)
      bytes.withUnsafeBytes { body($0, start) }
    }
  }

  @Test func `A byte is found wherever it is`() {
    forEach(of: [9, 11, 0x8A, 0xFF]) { bytes, start in
      for sought in [10, 0xFF, 0x41] as [UInt8] {
        let end = bytes.count - (bytes.count - start) / 3
        let found = PlainText.index(of: sought, in: bytes, from: start, to: end)
        #expect(found == bytes[start..<end].firstIndex(of: sought))
      }
    }
  }

  @Test func `Printable characters end before the first other one`() {
    forEach(of: [0x20, 0x41, 0x7E]) { bytes, start in
      let end = PlainText.printableEnd(in: bytes, from: start)
      #expect(end == bytes[start...].firstIndex { !$0.isPrintable } ?? bytes.count)
      #expect(PlainText.isASCII(bytes) == bytes.allSatisfy { $0 < 0x80 })
    }
  }

  @Test func `Plain text has line ends and other simple controls, and whole characters`() {
    func isPlain(_ byte: UInt8) -> Bool {
      [0x07, 0x08, 0x09, 0x0A, 0x0D].contains(byte) || (0x20...0x7E).contains(byte)
    }
    forEach(of: [0x07, 0x0A, 0x0D, 0x20, 0x41, 0x7E]) { bytes, start in
      let end = PlainText.end(in: bytes, from: start, isUTF8: false)
      #expect(end == bytes[start...].firstIndex { !isPlain($0) } ?? bytes.count)
    }
    let text = Array("a €é\r\n\u{1F600}b\u{85}c".utf8)
    for shift in 0..<70 {
      let text = Array(repeating: UInt8(ascii: "x"), count: shift) + text
      text.withUnsafeBytes {
        // U+0085 is a control character.
        #expect(PlainText.end(in: $0, from: 0) == text.count - 3)
        let cut = UnsafeRawBufferPointer(rebasing: $0[..<(text.count - 5)])
        #expect(PlainText.end(in: cut, from: 0) == text.count - 8)
        #expect(PlainText.textEnd(in: $0, from: shift, isUTF8: true) == shift + 7)
      }
    }
  }
}
