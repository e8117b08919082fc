import Glibc
import TestSupport
import Testing

@testable import Encodings

/// A thousand random texts for each encoding, a hundred in each run, which Python's codecs convert while the test runs: another
/// implementation of the same encodings, with tables of its own.
@Suite(.timeLimit(.minutes(30)), .enabled(if: access("/usr/bin/python3", X_OK) == 0))
struct PythonCodecsTests {
  /// The names here and in Python.
  ///
  /// The bytes 5C and 7E of Shift JIS are left out: Python reads them as ASCII, and the C library as the
  /// yen sign and the overline, which the standard of the encoding has there.
  private static let encodings = [
    ("GBK", "gbk"), ("SHIFT_JIS", "shift_jis"), ("KOI8-R", "koi8_r"), ("CP437", "cp437"),
    ("CP1251", "cp1251"), ("ISO-8859-1", "latin_1"),
  ]

  /// Prints texts in UTF-8 and in an encoding, in hexadecimal. Every second character is any that the
  /// encoding has; the others are ASCII, so that the lead bytes have all kinds of neighbours.
  private static let program = """
    import random, sys
    codec = sys.argv[1]
    random.seed(codec)
    left_out = "\\\\~\\u00a5\\u203e" if codec == "shift_jis" else ""
    def exists(character):
        try:
            return character.encode(codec).decode(codec) == character
        except UnicodeEncodeError:
            return False
    numbers = [9, 10, 13, *range(0x20, 0x7f), *range(0x80, 0xd800), *range(0xe000, 0x10000)]
    every = [chr(number) for number in numbers if chr(number) not in left_out and exists(chr(number))]
    ascii = [character for character in every if character < chr(0x80)]
    for _ in range(int(sys.argv[2])):
        text = "".join(
            random.choice(random.choice((ascii, every))) for _ in range(random.randint(1, 12)))
        print(text.encode().hex(), text.encode(codec).hex())
    """

  private static let count = repetitions(1_000)

  private static func texts(in codec: String) throws -> [(text: [UInt8], bytes: [UInt8])] {
    let pipe = try #require(popen("/usr/bin/python3 -c '\(program)' \(codec) \(count)", "r"))
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, pipe), count > 0 {
      output += piece.prefix(count)
    }
    #expect(pclose(pipe) == 0)
    return output.split(separator: 0x0A).map { line in
      let parts = line.split(separator: 0x20).map { bytes(String(decoding: $0, as: UTF8.self)) }
      return (parts[0], parts[1])
    }
  }

  @Test(arguments: encodings) func textsOfPython_bothWaysAndHoweverTheyAreDivided(
    _ name: String, _ codec: String
  ) throws {
    let texts = try Self.texts(in: codec)
    #expect(texts.count == Self.count)
    let encoding = try Encoding(name)
    // After each text both are in their initial state again.
    var stage = try DecodingStage(encoding)
    let writer = try EncodingWriter(encoding)
    var mistakes: [String] = []
    var output: [UInt8] = []
    for (text, bytes) in texts {
      let shown = String(decoding: text, as: UTF8.self)
      for pieces in divisions(of: bytes) {
        output.removeAll(keepingCapacity: true)
        for piece in pieces { piece.withUnsafeBytes { stage.decode($0, into: &output) } }
        stage.flush(into: &output)
        if output != text { mistakes.append("\(shown) as \(pieces.map { Array($0) })") }
      }
      for pieces in divisions(of: text) {
        output.removeAll(keepingCapacity: true)
        var refusals: [UnencodableText] = []
        for piece in pieces { refusals += piece.withUnsafeBytes { writer.type($0, into: &output) } }
        if output != bytes || refusals != [] {
          mistakes.append("\(shown), typed as \(pieces.map { Array($0) })")
        }
      }
      output.removeAll(keepingCapacity: true)
      try writer.encode(shown, into: &output)
      if output != bytes { mistakes.append("\(shown), as a whole") }
    }
    #expect(mistakes.isEmpty, "\(mistakes.count) mistakes, the first: \(mistakes.first ?? "")")
  }
}
