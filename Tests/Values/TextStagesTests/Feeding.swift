import TextStages
import Time

extension Moment {
  /// A moment for stages that ignore it.
  static let any = Moment(wallClock: 0, monotonic: 0)
}

extension ByteStage {
  /// The output for pieces and the end of the stream.
  consuming func fed(_ pieces: some Sequence<some Collection<UInt8>>) -> [UInt8] {
    var output: [UInt8] = []
    for piece in pieces { feed(Array(piece), into: &output) }
    flush(into: &output)
    return output
  }

  /// The output for a text, as text, without the end of the stream.
  mutating func feed(_ text: String) -> String {
    var output: [UInt8] = []
    feed(Array(text.utf8), into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Passes a piece, as a pipeline does.
  mutating func feed(_ piece: [UInt8], at moment: Moment = .any, into output: inout [UInt8]) {
    let before = output.count
    let result = piece.withUnsafeBytes { transform($0, at: moment, into: &output) }
    if result == .unchanged {
      precondition(output.count == before, "unchanged, and yet something was put out")
      output += piece
    }
  }
}

/// The ways to split a stream: as a whole, into bytes, and in two at every position.
func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
  let bytewise = bytes.indices.map { bytes[$0...$0] }
  return [[bytes[...]], bytewise] + bytes.indices.map { [bytes[..<$0], bytes[$0...]] }
}

extension RowView {
  /// The rows for pieces from the device and the end of the stream.
  consuming func fed(_ pieces: some Sequence<some Collection<UInt8>>) -> [UInt8] {
    var output: [UInt8] = []
    for piece in pieces {
      Array(piece).withUnsafeBytes { show($0, .fromDevice, at: .any, into: &output) }
    }
    endRow(into: &output)
    return output
  }

  /// The rows for a text from the device, without the end of the stream.
  mutating func feed(_ text: String) -> String {
    var output: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { show($0, .fromDevice, at: .any, into: &output) }
    return String(decoding: output, as: UTF8.self)
  }
}
