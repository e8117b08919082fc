import Glibc

/// Figures that tests measure, for the table in docs/reliability.md.
public enum Figures {
  /// Adds a figure for a row of the fault matrix to the file that $SERIALTERM_FIGURES names, if it
  /// is set: the median and the worst of the values. `record` in Tests/endtoend/faults/figures.py
  /// does the same.
  ///
  /// - Parameters:
  ///   - atMost: the promised time, in the same unit. No test fails because of it:
  ///     `scripts/bench promises` compares.
  ///   - typical: the promise for the median.
  public static func record(
    row: Int, _ name: String, _ values: [Double], unit: String, atMost: Double? = nil,
    typical: Double? = nil
  ) {
    guard let path = getenv("SERIALTERM_FIGURES"), !values.isEmpty,
      let file = fopen(path, "a")
    else { return }
    defer { fclose(file) }
    let sorted = values.sorted()
    let line =
      #"{"row": \#(row), "name": "\#(name)", "unit": "\#(unit)", "samples": \#(values.count), "#
      + #""median": \#(sorted[sorted.count / 2]), "worst": \#(sorted[sorted.count - 1]), "#
      + #""at_most": \#(atMost.map { "\($0)" } ?? "null"), "#
      + #""typical": \#(typical.map { "\($0)" } ?? "null")}"# + "\n"
    fputs(line, file)
  }
}
