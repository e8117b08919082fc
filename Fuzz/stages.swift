import Time

/// The other stages: maps in both directions, hex dump, highlights, timestamps, whole sequences;
/// and the lines of text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStages(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(bytes, count)
  for map in maps { _ = input.output(of: map) }
  let dump = input.output(of: HexDump(marksDirection: true))
  let lines = (input.stream.count + HexDump.standardRowLength - 1) / HexDump.standardRowLength
  // Mark, offset, numbers, text and the line's end.
  precondition(dump.count == lines * (2 + 8 + 50 + 3 + 3) + input.stream.count)
  precondition(input.output(of: WholeSequences()) == Array(input.stream), "not every byte goes on")
  for byte in input.output(of: ReadLines()) {
    precondition(
      byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A, "a control character")
  }
  for inPieces in [false, true] {
    _ = input.output(
      of: Highlighter(highlights, columns: { 80 }),
      inPieces: inPieces)
  }
  let start = Moment(wallClock: 0, monotonic: 0)
  _ = input.output(
    of: Whole(
      stage: LineStamper(TimestampFormat(.iso, .microseconds), start: start) { _ in
        CalendarTime(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offset: -3_600)
      }))
  return 0
}

/// A stage that gets complete sequences.
private struct Whole<Stage: ByteStage>: ByteStage {
  var (sequences, whole) = (WholeSequences(), [UInt8]())
  var stage: Stage
  let isWaiting = false

  init(stage: Stage) { self.stage = stage }

  mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    whole.removeAll()
    if sequences.transform(bytes, at: moment, into: &whole) == .unchanged { whole += bytes }
    pass(into: &output)
    return .changed
  }

  mutating func flush(into output: inout [UInt8]) {
    whole.removeAll()
    sequences.flush(into: &whole)
    pass(into: &output)
    stage.flush(into: &output)
  }

  private mutating func pass(into output: inout [UInt8]) {
    let moment = Moment(wallClock: 0, monotonic: 0)
    let result = whole.withUnsafeBytes { stage.transform($0, at: moment, into: &output) }
    if result == .unchanged { output += whole }
  }
}

/// The lines of a device, as a stage.
private struct ReadLines: ByteStage {
  private var reader = LineReader()
  let isWaiting = false

  mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    var index = 0
    while let event = reader.next(in: bytes, from: &index) {
      if event != .returned { output += reader.text.utf8 + [0x0A] }
    }
    precondition(reader.text.utf8.count <= 4 * LineReader.lineLimit, "too much is kept")
    return .changed
  }

  mutating func flush(into output: inout [UInt8]) {
    reader.finish()
    output += reader.text.utf8
  }
}

private let maps: [ByteMap] =
  [
    "from-device:crlf=lf,from-device:cr=crlf,from-device:lower=upper,from-device:ff=clear",
    "from-device:msb=lsb,from-device:crlf=cr,from-device:lf=none",
  ].map { ByteMap(list($0), .fromDevice) } + [ByteMap(list("OLTU,MSB2LSB,ONLCRNL"), .toDevice)]

private let highlights: [Highlight] = {
  guard let numbers = try? Highlight.parsing(#"\d+=bold-blue"#) else { fatalError("no highlight") }
  return Highlight.levels + numbers
}()

private func list(_ text: String) -> MapList {
  do { return try MapList(parsing: text) } catch { fatalError("\(error)") }
}
