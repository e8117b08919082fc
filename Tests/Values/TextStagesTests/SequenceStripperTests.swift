import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct SequenceStripperTests {
  /// The stripped text, passed in pieces of a length.
  private func stripped(_ bytes: [UInt8], pieces: Int) -> String {
    var stripper = SequenceStripper()
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      Array(bytes[start..<min(start + pieces, bytes.count)]).withUnsafeBytes {
        stripper.strip($0, into: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  @Test(arguments: [
    ("plain text", "plain text"), ("a\r\nb\nc\rd", "a\nb\nc\nd"), ("tab\there", "tab\there"),
    ("\u{1B}[1;31mred\u{1B}[0m", "red"), ("\u{1B}]0;title\u{07}after", "after"),
    ("\u{1B}]52;c;c2VjcmV0\u{1B}\\after", "after"), ("\u{1B}P1$qm\u{1B}\\x", "x"),
    ("\u{1B}(Bx", "x"), ("\u{1B}7x\u{1B}8", "x"), ("a\u{00}\u{07}\u{08}\u{7F}b", "ab"),
    ("\u{1B}[31\u{1B}[mx", "^[[31x"), ("\u{1B}[3\nx", "^[[3\nx"), ("\u{1B}]0;a\r\nx", "^[]0;a\nx"),
    ("grün €😀", "grün €😀"),
    ("a\u{9B}31mb", "a\u{FFFD}31mb"),
  ])
  func textStaysAndSequencesGo_howeverItIsCut(said: String, left: String) {
    for length in 1...5 { #expect(stripped(Array(said.utf8), pieces: length) == left) }
  }

  @Test func bytesThatAreNoTextAreMarked() {
    for length in 1...4 {
      #expect(
        stripped([0xFF, 0x41, 0xC3, 0x28, 0xE2, 0x82, 0x41], pieces: length)
          == "\u{FFFD}A\u{FFFD}(\u{FFFD}A")
      #expect(stripped([0xED, 0xA0, 0x80, 0x41], pieces: length).hasSuffix("A"))
    }
  }

  @Test func aStringThatIsNeverEndedDoesNotSwallowTheLog() {
    let endless = Array("\u{1B}]".utf8) + [UInt8](repeating: 0x78, count: 10_000)
    let left = stripped(endless + Array("after".utf8), pieces: 100)
    #expect(left.hasSuffix("after"))
    #expect(left == "^[]" + String(repeating: "x", count: 10_000) + "after")
  }

  @Test func noBytes_produceAControlCharacter() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let bytes = (0..<500).map { _ in
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...255, using: &generator)
          : [0x1B, 0x5B, 0x5D, 0x9B, 0xC2].randomElement()!
      }
      for scalar in stripped(bytes, pieces: 7).unicodeScalars {
        let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        #expect(!isControl || scalar == "\n" || scalar == "\t")
      }
    }
  }
}
