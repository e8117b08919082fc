import Testing
import Time

@testable import serialterm

/// The standard error of a command, split into lines.
@Suite struct ErrorLinesTests {
  private var lines = ErrorLines()

  private mutating func take(_ text: String, at seconds: Int = 0) -> [String] {
    let time = MonotonicTime(nanoseconds: 0) + .seconds(seconds)
    return Array(text.utf8).withUnsafeBytes { lines.receive($0, at: time) }
  }

  @Test mutating func `A line counts when it is complete, or at the end`() {
    #expect(take("one\ntw") == ["one"])
    #expect(take("o\r\n\nthree") == ["two"])
    #expect(lines.flush() == ["three"])
    #expect(lines.flush() == [])
  }

  @Test mutating func `A display of progress is shown once a second, and at its end`() {
    #expect(take("1 %\r") == ["1 %"])
    #expect(take("2 %\r3 %\r") == [])
    #expect(take("4 %\r", at: 1) == ["4 %"])
    #expect(take("5 %\r", at: 1) == [])
    #expect(lines.flush() == ["5 %"])
  }

  @Test mutating func `Escape sequences are left out, and long lines are broken`() {
    #expect(take("\u{1B}[31mred\u{1B}[0m\n") == ["red"])
    let long = String(repeating: "x", count: 3 * ErrorLines.limit + 1)
    #expect(take(long).count == 3)
  }
}
