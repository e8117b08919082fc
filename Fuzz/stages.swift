import Time

/// The other stages: maps in both directions, hex dump, highlights, timestamps, whole sequences.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStages(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(bytes, count)
  for map in maps { _ = input.output(of: map) }
  let dump = input.output(of: HexDump(marksDirection: true))
  let lines = (input.stream.count + HexDump.standardRowLength - 1) / HexDump.standardRowLength
  // Mark, offset, numbers, text and the line's end.
  precondition(dump.count == lines * (2 + 8 + 50 + 3 + 3) + input.stream.count)
  precondition(input.output(of: WholeSequences()) == Array(input.stream), "not every byte goes on")
  for inPieces in [false, true] {
    _ = input.output(
      of: Highlighter(highlights, columns: { 80 }, width: { $0.value < 0x1100 ? 1 : 2 }),
      inPieces: inPieces)
  }
  let start = Moment(wallClock: 0, monotonic: 0)
  _ = input.output(
    of: LineStamper(TimestampFormat(.iso, .microseconds), start: start) { _ in
      CalendarTime(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offset: -3_600)
    })
  return 0
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
