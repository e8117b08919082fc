import Plotting
import Posix
import SystemPackage
import Testing

/// The examples in docs/plotting.md.
@Suite(.timeLimit(.minutes(30))) struct PlottingPageTests {
  private static var examples: [(section: String, output: String)] {
    get throws {
      var page = FilePath(#filePath)
      for _ in 0..<4 { page.removeLastComponent() }
      page.append("docs/plotting.md")
      let text = String(decoding: try page.contents(), as: UTF8.self)
      var sections: [[Substring]] = []
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("#") { sections.append([]) }
        sections[sections.count - 1].append(line)
      }
      return sections.compactMap { lines in
        guard let begin = lines.firstIndex(of: "```text"),
          let end = lines[begin...].firstIndex(of: "```")
        else { return nil }
        let output = lines[(begin + 1)..<end].map { $0 + "\n" }.joined()
        return (lines.joined(separator: "\n"), output)
      }
    }
  }

  @Test("the output in each example is read as the page says")
  func examplesAreRead() throws {
    let examples = try Self.examples
    #expect(examples.count == 6)
    for (section, output) in examples {
      var reader = SampleReader()
      var rows = 0
      Array(output.utf8).withUnsafeBytes { reader.read($0, at: 0) { _ in rows += 1 } }
      reader.finish { _ in rows += 1 }
      let series = reader.series.map { $0.name + ($0.unit.map { " [\($0)]" } ?? "") }
      let words = "`\(reader.inWords ?? "nothing")`: \(series.joined(separator: ", "))."
      #expect(section.contains("read as " + words), "\(words)")
      // Only the message of the firmware is not a reading.
      #expect(reader.skippedLineCount == (output.contains("wifi") ? 1 : 0), "\(section)")
      #expect(rows >= 2, "\(section)")
    }
  }
}
