import Time

/// The fuzzer's input: a byte that determines the size of the pieces, then the stream.
struct FuzzInput {
  let stream: UnsafeRawBufferPointer
  private let pieceLength: Int

  init(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    let all = UnsafeRawBufferPointer(start: bytes, count: count)
    stream = UnsafeRawBufferPointer(rebasing: all.dropFirst())
    pieceLength = Int(all.first ?? 0) % 7 + 1
  }

  /// The output of a stage for the stream, whole or in pieces, and for its end.
  func output(of stage: some ByteStage, inPieces: Bool) -> [UInt8] {
    var stage = stage
    var output: [UInt8] = []
    let length = inPieces ? pieceLength : max(stream.count, 1)
    for start in stride(from: 0, to: stream.count, by: length) {
      let end = min(start + length, stream.count)
      let piece = UnsafeRawBufferPointer(rebasing: stream[start..<end])
      let moment = Moment(wallClock: 0, monotonic: 0)
      if stage.transform(piece, at: moment, into: &output) == .unchanged { output += piece }
    }
    stage.flush(into: &output)
    return output
  }

  /// The output of a stage, which must not depend on how the stream is cut.
  func output(of stage: some ByteStage) -> [UInt8] {
    let whole = output(of: stage, inPieces: false)
    precondition(
      output(of: stage, inPieces: true) == whole, "the output depends on how the stream is cut")
    return whole
  }

  /// The rows for the stream, which must not depend on how the stream is cut.
  func output(of rows: some RowView) -> [UInt8] {
    let whole = output(of: rows, inPiecesOf: max(stream.count, 1))
    precondition(
      output(of: rows, inPiecesOf: pieceLength) == whole, "the rows depend on how the stream is cut")
    return whole
  }

  private func output(of rows: some RowView, inPiecesOf length: Int) -> [UInt8] {
    var (rows, output) = (rows, [UInt8]())
    for start in stride(from: 0, to: stream.count, by: length) {
      let piece = UnsafeRawBufferPointer(
        rebasing: stream[start..<min(start + length, stream.count)])
      rows.show(piece, .fromDevice, at: Moment(wallClock: 0, monotonic: 0), into: &output)
    }
    rows.endRow(into: &output)
    return output
  }
}
