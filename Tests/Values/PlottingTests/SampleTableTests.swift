import Plotting
import Testing

@Suite(.timeLimit(.minutes(30))) struct SampleTableTests {
  /// The table of a text, whose lines have the times 0, 0.5, 1 and so on.
  private func table(
    _ text: String, form: SampleForm, columns: [SeriesName]? = nil,
    timeKind: ChartView.TimeKind = .clock
  ) -> (text: String, omitted: Int) {
    func read(_ body: (SampleRow) -> Void) -> SampleReader {
      var reader = SampleReader(form)
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        let time = timeKind == .lines ? nil : Double(number) / 2
        Array("\(line)\n".utf8).withUnsafeBytes { reader.read($0, at: time, body) }
      }
      reader.finish(body)
      return reader
    }
    let columns = columns ?? read { _ in }.series
    var table = SampleTable(sources: [(nil, columns)], timeKind: timeKind)
    var output: [UInt8] = []
    table.appendHeader(to: &output)
    _ = read { table.append($0, to: &output) }
    return (String(decoding: output, as: UTF8.self), table.omittedValueCount)
  }

  @Test func digitsAreThoseOfTheDevice_andGapsAreEmpty() {
    let text = "t=25.30C h=+4e1\nt=-0.0C\nx\nh=inf t=nan\nh=0.1000000000000000055511151231257827"
    #expect(
      table(text, form: .pairs).text == """
        time,t [C],h
        0.000000,25.30,+4e1
        0.500000,-0.0,
        1.500000,,inf
        2.000000,,0.1000000000000000055511151231257827

        """)
  }

  @Test func decimalCommaIsAPoint() {
    #expect(table("t = 11,25 mA\n", form: .pairs).text == "time,t [mA]\n0.000000,11.25\n")
  }

  @Test func linesHaveTheirNumbers() {
    #expect(
      table("a,b\n1,2\n\n3,\n", form: .values, timeKind: .lines).text
        == "time,a,b\n1,1,2\n3,3,\n")
  }

  @Test func valuesWithoutColumnsAreCounted() {
    let (text, omitted) = table("a=1\nb=2\na=3 b=4\nc=5", form: .pairs, columns: [SeriesName("a")])
    #expect(text == "time,a\n0.000000,1\n1.000000,3\n")
    #expect(omitted == 3)
  }

  @Test(
    arguments: [
      ("a", "a"), ("a b", "a b"), ("a,b", #""a,b""#), (#"a"b"#, #""a""b""#), (" a", "\" a\""),
      ("=1+1", "'=1+1"), ("@a,b", #""'@a,b""#), ("-a", "'-a"), ("a\nb", "a\u{FFFD}b"),
    ])
  func namesAreQuoted(_ name: String, _ field: String) {
    let table = SampleTable(sources: [(nil, [SeriesName(name)])], timeKind: .clock)
    var output: [UInt8] = []
    table.appendHeader(to: &output)
    #expect(String(decoding: output, as: UTF8.self) == "time,\(field)\n")
  }

  @Test func severalSourcesHaveColumnsOfTheirOwn() {
    let series = [SeriesName("t"), SeriesName("h", unit: "%")]
    var table = SampleTable(sources: [("a", series), ("b", [SeriesName("t")])], timeKind: .clock)
    var output: [UInt8] = []
    table.appendHeader(to: &output)
    Array("123".utf8).withUnsafeBytes { line in
      func row(_ time: Double, _ samples: [(Int, Range<Int>)]) -> SampleRow {
        SampleRow(
          time: time, line: line,
          samples: samples.map { Sample(series: $0.0, value: 0, text: $0.1) }, series: [])
      }
      table.append(row(1_700_000_000.123456, [(0, 0..<1), (1, 1..<3)]), from: 0, to: &output)
      table.append(row(-1.5, [(0, 2..<3), (1, 0..<1)]), from: 1, to: &output)
      table.append(row(1e300, [(0, 0..<3)]), from: 1, to: &output)
      table.append(row(2, [(2, 0..<1)]), from: 0, to: &output)
    }
    #expect(
      String(decoding: output, as: UTF8.self) == """
        time,a: t,a: h [%],b: t
        1700000000.123456,1,23,
        -1.500000,,,3
        1e+300,,,123

        """)
    #expect(table.omittedValueCount == 2)
  }
}
