import Testing

@testable import Plotting

@Suite(.timeLimit(.minutes(30))) struct TableStreamTests {
  /// The output of a stream for pieces of text at the times 0, 1, 2 and so on, of the first port.
  private func read(
    _ pieces: [String], from source: Int = 0, at start: Double = 0, _ stream: inout TableStream
  ) -> String {
    var output: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      Array(piece.utf8).withUnsafeBytes {
        stream.read($0, at: start + Double(index), from: source, into: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func flush(_ stream: inout TableStream) -> String {
    var output: [UInt8] = []
    stream.flush(into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private func stream(_ form: SampleForm? = .pairs) -> TableStream {
    var stream = TableStream(form)
    #expect(stream.addSource(named: nil) == 0)
    return stream
  }

  @Test func `Rows are held back until the series are known, then they are written at once`() {
    var stream = stream()
    #expect(read(["a=1\n", "text\n", "b=2\n"], &stream) == "")
    #expect(stream.isHolding)
    #expect(stream.heldByteCount == 6)
    #expect(flush(&stream) == "time,a,b\n0.000000,1,\n2.000000,,2\n")
    #expect(!stream.isHolding && stream.heldByteCount == 0)
    #expect(read(["a=3 b=4\n"], at: 9, &stream) == "9.000000,3,4\n")
    #expect(flush(&stream) == "")
  }

  @Test func `Without numbers, nothing is written`() {
    var stream = stream(nil)
    #expect(read(["hello\n", "world\n"], &stream) == "")
    #expect(!stream.isHolding)
    #expect(flush(&stream) == "")
  }

  @Test func `Lines before a form is found are in the table, with their own times`() {
    var stream = stream(nil)
    #expect(read(["1,2\n", "3,4\n", "5,6\n"], &stream) == "")
    #expect(flush(&stream) == "time,value 1,value 2\n0.000000,1,2\n1.000000,3,4\n2.000000,5,6\n")
  }

  @Test func `A late series ends the table, and the next one has it`() {
    var stream = stream()
    _ = read(["a=1\n"], &stream)
    _ = flush(&stream)
    #expect(read(["a=2\na=3 b=4\na=5\n"], at: 1, &stream) == "1.000000,2\n")
    #expect(stream.needsNewTable && stream.isHolding)
    stream.needsNewTable = false
    #expect(flush(&stream) == "time,a,b\n1.000000,3,4\n1.000000,5,\n")
    #expect(!stream.needsNewTable)
  }

  @Test func `A file that continues a table begins with the same line`() {
    var stream = stream()
    func header() -> String {
      var output: [UInt8] = []
      stream.appendHeader(to: &output)
      return String(decoding: output, as: UTF8.self)
    }
    #expect(header() == "")
    _ = read(["a=1\n"], &stream)
    #expect(header() == "")
    _ = flush(&stream)
    #expect(header() == "time,a\n")
    _ = read(["b=1\n"], &stream)
    #expect(header() == "")
  }

  @Test func `Several ports have their names in the columns, also one that comes late`() {
    var stream = stream()
    #expect(stream.addSource(named: "B") == 1)
    _ = read(["a=1\n"], &stream)
    _ = read(["a=2\n"], from: 1, at: 1, &stream)
    #expect(flush(&stream) == "time,a,B: a\n0.000000,1,\n1.000000,,2\n")
    #expect(stream.addSource(named: "C") == 2)
    #expect(read(["x=3\n"], from: 2, at: 2, &stream) == "")
    #expect(stream.needsNewTable)
    #expect(flush(&stream) == "time,a,B: a,C: x\n2.000000,,,3\n")
  }

  @Test func `Missing bytes do not join lines`() {
    var stream = stream()
    _ = stream.addSource(named: "B")
    _ = read(["a=1\na=2"], &stream)
    _ = read(["a=7"], from: 1, &stream)
    stream.forgetLine(of: 0)
    _ = read(["3\na=4\n"], at: 1, &stream)
    _ = read(["8\n"], from: 1, at: 1, &stream)
    #expect(
      flush(&stream) == "time,a,B: a\n0.000000,1,\n1.000000,4,\n1.000000,,78\n")
  }

  @Test func `A table begins when too many rows are held back`() {
    var stream = stream()
    let row = "a=1\n"
    let rows = String(repeating: row, count: TableStream.heldRowLimit - 1)
    #expect(read([rows], &stream) == "")
    let output = read([row], &stream)
    #expect(output.hasPrefix("time,a\n0.000000,1\n"))
    #expect(output.split(separator: "\n").count == TableStream.heldRowLimit + 1)
    #expect(!stream.isHolding)
  }

  @Test func `A table begins when too many bytes are held back, and the bytes are counted`() {
    var stream = stream()
    let row = "a=1 " + String(repeating: "-", count: 59_995) + "\n"
    for count in 1...17 {
      #expect(read([row], &stream) == "")
      #expect(stream.heldByteCount == count * (row.utf8.count - 1))
    }
    let output = read([row], &stream)
    #expect(output == "time,a\n" + String(repeating: "0.000000,1\n", count: 18))
    #expect(!stream.isHolding && stream.heldByteCount == 0)
  }

  @Test func `A port that names series without end begins only some tables`() {
    var stream = stream()
    let limit = TableStream.laterTableLimit
    _ = read(["a=1\n"], &stream)
    #expect(flush(&stream) == "time,a\n0.000000,1\n")
    for number in 0..<limit {
      #expect(read(["n\(number)=1\n"], &stream) == "")
      #expect(stream.needsNewTable)
      stream.needsNewTable = false
      _ = flush(&stream)
    }
    #expect(stream.omittedValueCount == 0)
    let gaps = String(repeating: ",", count: limit)
    #expect(read(["z=1\n", "a=2 y=3 x=4\n"], &stream) == "1.000000,2\(gaps)\n")
    #expect(!stream.needsNewTable)
    #expect(stream.omittedValueCount == 3)
    // Another port can begin a table, which has the late series too.
    #expect(stream.addSource(named: "B") == 1)
    #expect(read(["b=5\n"], from: 1, &stream) == "")
    #expect(stream.needsNewTable)
    #expect(flush(&stream).hasSuffix(",z,y,x,B: b\n0.000000,\(gaps),,,,5\n"))
    #expect(stream.omittedValueCount == 3)
  }

  @Test func `Rows of the next table are never in the output of the present one`() {
    var stream = stream()
    _ = read(["a=1\n"], &stream)
    _ = flush(&stream)
    let rows = String(repeating: "b=1\n", count: TableStream.heldRowLimit + 1)
    #expect(read(["a=2\n" + rows], &stream) == "0.000000,2\n")
    #expect(stream.needsNewTable)
    stream.needsNewTable = false
    let output = read(["a=3\n"], &stream)
    #expect(output.hasPrefix("time,a,b\n0.000000,,1\n") && output.hasSuffix("0.000000,3,\n"))
  }

  @Test func `A device has at most 256 columns`() {
    var stream = stream(.values)
    let names = (0..<300).map { "n\($0)" }.joined(separator: ",")
    let values = (0..<300).map { "\($0)" }.joined(separator: ",")
    _ = read([names + "\n", values + "\n", values + "\n"], &stream)
    let lines = flush(&stream).split(separator: "\n")
    #expect(lines.first?.split(separator: ",").count == 257)
    #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(",255") })
    #expect(stream.omittedValueCount == 2 * 44)
  }
}
