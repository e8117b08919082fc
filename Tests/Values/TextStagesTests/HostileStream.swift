import TestSupport

/// Streams that consist of attacks on terminals, and of noise.
struct HostileStream {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let pieces: [[UInt8]] =
    [
      "\u{1B}[", "\u{1B}]", "\u{1B}P", "\u{1B}_", "\u{1B}", "\u{1B}\\", "?", ">", "=", "!", " ",
      "$",
      ";", ":", "0", "1", "7", "25", "38", "5", "2", "11", "1049", "99999", "m", "h", "l", "H", "J",
      "r", "s", "u", "n", "c", "t", "i", "q", "T", "8", "D", "text", "\r\n", "\u{7}", "\u{8}", "é",
      "中", "🙂", "\u{9B}", "\u{9D}", "\u{202E}", "\u{0}", "\u{5}", "\u{E}", "\u{18}", "\u{7F}",
      "\u{1B}[?1049h", "\u{1B}[?1049l", "\u{1B}[?47h", "\u{1B}[?1h", "\u{1B}[?6h", "\u{1B}[4h",
      "\u{1B}=", "\u{1B}H", "\u{1B}[3g", "\u{1B}c", "\u{1B}[!p", "\u{1B}(0", "\u{1B}]0;x\u{7}",
      "\u{1B}[?25l", "\u{1B}[?7l", "\u{1B}[31m", "\u{1B}[0m", "\u{1B}[2;9r", "\u{1B}7", "\u{1B}8",
    ].map { Array($0.utf8) } + [[0x9B], [0xC2], [0xE2, 0x80], [0xF0], [0xFF]]

  /// A stream of a few pieces.
  mutating func next() -> [UInt8] {
    (0..<Int.random(in: 1...12, using: &random)).flatMap { _ -> [UInt8] in
      UInt8.random(in: 0..<8, using: &random) == 0
        ? [UInt8.random(in: 0...255, using: &random)] : Self.pieces.randomElement(using: &random)!
    }
  }

  /// The stream, split at random positions.
  mutating func cut(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var rest = bytes[...]
    var pieces: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(6, rest.count), using: &random)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
