import Symbols
import Testing

@Suite struct SHA256Tests {
  /// The vectors of FIPS 180-4 (NIST's examples), and the empty message.
  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          + "lmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func vectors(_ message: String, _ digest: String) {
    #expect(Self.digest(Array(message.utf8), inPiecesOf: .max) == digest)
  }

  @Test func aMillionLetters() {
    #expect(
      Self.digest([UInt8](repeating: 0x61, count: 1_000_000), inPiecesOf: 65_536)
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func piecesMakeNoDifference() {
    for count in [1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 200] {
      let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let whole = Self.digest(message, inPiecesOf: .max)
      for size in [1, 3, 63, 64, 65] { #expect(Self.digest(message, inPiecesOf: size) == whole) }
    }
  }

  private static func digest(_ message: [UInt8], inPiecesOf size: Int) -> String {
    var hash = SHA256()
    var rest = message[...]
    while !rest.isEmpty {
      rest.prefix(size).withUnsafeBytes { hash.add($0) }
      rest = rest.dropFirst(size)
    }
    return hash.finished().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
