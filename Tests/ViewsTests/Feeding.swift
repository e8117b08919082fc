import Views

extension Moment {
  /// A moment for stages that do not look at it.
  static let any = Moment(wallClock: 0, monotonic: 0)
}

extension ByteStage {
  /// What comes out of the pieces, one after the other, and of the end of the stream.
  consuming func fed(_ pieces: some Sequence<some Collection<UInt8>>) -> [UInt8] {
    var output: [UInt8] = []
    for piece in pieces { feed(Array(piece), into: &output) }
    flush(into: &output)
    return output
  }

  /// What comes out of a text, as a text, without the end of the stream.
  mutating func feed(_ text: String) -> String {
    var output: [UInt8] = []
    feed(Array(text.utf8), into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Sends a piece through, as a pipeline would.
  mutating func feed(_ piece: [UInt8], at moment: Moment = .any, into output: inout [UInt8]) {
    let before = output.count
    let result = piece.withUnsafeBytes { transform($0, at: moment, into: &output) }
    if result == .unchanged {
      precondition(output.count == before, "unchanged, and yet something was put out")
      output += piece
    }
  }
}

/// Every way to cut a stream that is worth trying: whole, byte by byte, and in two at every place.
func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
  let bytewise = bytes.indices.map { bytes[$0...$0] }
  return [[bytes[...]], bytewise] + bytes.indices.map { [bytes[..<$0], bytes[$0...]] }
}
