import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct ScreenPartTests {
  private func kinds(_ text: String) -> [ScreenPart.Kind] {
    Array(text.utf8).withUnsafeBytes { ScreenParts($0).map(\.kind) }
  }

  @Test func `Text has parts`() {
    #expect(
      kinds("aé\t\u{8}b\r\n\u{7}") == [
        .text, .tab, .backspace, .text, .carriageReturn, .lineFeed, .control,
      ])
  }

  @Test(
    arguments: [
      ("[1;31m", .style), ("[m", .style), ("[?25l", .mode), ("[4h", .mode), ("=", .mode),
      ("[K", .edit), ("[2K", .edit), ("[3P", .edit), ("[@", .edit), ("[5X", .edit),
      ("[?1049h", .motion), ("[?6h", .motion), ("[ @", .motion), ("[J", .motion),
      ("[2;3H", .motion), ("[r", .motion), ("7", .motion), ("#8", .motion), ("[", .motion),
      ("]0;title\u{7}", .control), ("[1\r", .motion),
    ] as [(String, ScreenPart.Kind)])
  func `A sequence is known by what it does`(_ sequence: String, _ kind: ScreenPart.Kind) {
    #expect(kinds("\u{1B}" + sequence).first == kind)
  }

  @Test func `Every byte is in a part`() {
    var stream = HostileStream(seed: 1)
    for _ in 0..<2_000 {
      let bytes = stream.next()
      let parts = bytes.withUnsafeBytes { ScreenParts($0).map { Array($0.bytes) } }
      #expect(parts.flatMap(\.self) == bytes && !parts.contains([]))
    }
  }

  @Test func `A sequence that cuts off a string can be cut off`() {
    #expect(kinds("\u{1B}]x\u{1B}\n") == [.motion, .lineFeed])
  }

  @Test func `What is not UTF-8 is shown by a raw terminal`() {
    let bytes: [UInt8] = [0x61, 0xFF, 0x0D]
    #expect(
      bytes.withUnsafeBytes { ScreenParts($0).map(\.kind) } == [.text, .text, .carriageReturn])
  }

  @Test func `Only EL with 2 erases a row`() {
    for (text, erases) in [("\u{1B}[2K", true), ("\u{1B}[K", false), ("\u{1B}[2X", false)] {
      #expect(
        Array(text.utf8).withUnsafeBytes { ScreenParts($0).map(\.erasesRow) } == [erases])
    }
  }
}
