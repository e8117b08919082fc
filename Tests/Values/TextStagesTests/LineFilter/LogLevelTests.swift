import Patterns
import Testing

@testable import TextStages

@Suite struct LogLevelTests {
  private static let lines: [(String, LogLevel?)] = [
    ("E (123) wifi: no", .error), ("W (1) x", .warning), ("I (15:03:55.012) x", .info),
    ("D (1) x", .debug), ("V (1) x", .debug), ("<0>x", .error), ("<3>usb 1-1: x", .error),
    ("<4>x", .warning), ("<5>x", .info), ("<6>x", .info), ("<7>x", .debug),
    // RFC 3164 and RFC 5424, with the facility: authentication, user, local7.
    ("<34>Oct 11 22:14:15 host su: 'su root' failed", .error),
    ("<13>1 2026-01-01T00:00:00Z x", .info),
    ("<12>x", .warning), ("<15>x", .debug), ("<8>x", .error), ("<191>x", .debug),
    ("<184>x", .error), ("<190>x", .info), ("<188>x", .warning), ("<30>x ERROR", .info),
    ("[00:00:01.000,000] <err> mod: x", .error), ("[00:01] <wrn> net: x", .warning),
    ("<inf> x", .info), ("<dbg> x", .debug), ("[INFO  crate] x", .info),
    ("[2024-01-01T00:00:00Z WARN  crate] x", .warning), ("[ERROR] x", .error),
    ("[TRACE x]", .debug), ("12:00 FATAL x", .error), ("x WARNING", .warning),
    ("NOTICE: x", .info), ("PANIC", .error), ("x VERBOSE x", .debug),
    // The first mark decides.
    ("I (1) x: ERROR 5", .info), ("DEBUG ERROR", .debug), ("<6>x ERROR", .info),
    ("x <dbg> ERROR", .debug), ("ERROR <dbg>", .error),
    ("", nil), ("no errors", nil), ("ERRORS", nil), ("INFORMATION", nil), ("_ERROR", nil),
    ("ERROR_1", nil), ("error", nil), ("WE (12)", nil), ("the E (x)", nil), ("E (x)", nil),
    ("E ()", nil), ("E (12", nil), ("E(12)", nil), ("<192>x", nil), ("<200>x", nil),
    ("<034>x", nil), ("<00>x", nil), ("<1234>x", nil), ("<3a>x", nil), ("<>x", nil), ("<34", nil),
    ("<191", nil), ("<", nil), ("< 3>x", nil), ("<-3>x", nil),
    (" <3>x", nil), ("<err", nil), ("<error>", nil), ("  0x40080000: x", nil),
  ]

  private func level(_ line: String, isWhole: Bool = true) -> LogLevel? {
    Array(line.utf8).withUnsafeBytes { LogLevel.find(in: $0, isWhole: isWhole) }
  }

  @Test(arguments: lines) func levels(_ line: String, _ expected: LogLevel?) {
    #expect(level(line) == expected)
  }

  @Test(arguments: lines) func aLevelThatIsFoundEarly_stays(_ line: String, _ expected: LogLevel?) {
    for count in 0...line.utf8.count {
      let beginning = String(decoding: line.utf8.prefix(count), as: UTF8.self)
      if let early = level(beginning, isWhole: false) { #expect(early == expected) }
    }
  }

  @Test(arguments: lines) func theHighlightsFindTheSame(_ line: String, _ expected: LogLevel?) {
    let scalars = line.unicodeScalars.map(\.value)
    let found = zip(LogLevel.allCases, Highlight.levels).filter { _, highlight in
      var budget = Int.max
      return !highlight.pattern.matches(in: scalars, budget: &budget).isEmpty
    }
    if let expected {
      // A line with several marks has the colours of all.
      #expect(found.contains { $0.0 == expected })
    } else {
      #expect(found.isEmpty)
    }
  }

  @Test func everyPriorityHasTheLevelOfItsSeverity() {
    let levels: [LogLevel] = [
      .error, .error, .error, .error, .warning, .info, .info, .debug,
    ]
    for priority in 0...255 {
      #expect(level("<\(priority)>x") == (priority <= 191 ? levels[priority % 8] : nil))
    }
  }

  @Test func namesAreThoseOfTheOption() {
    #expect(LogLevel.allCases.map(\.name) == ["debug", "info", "warn", "error"])
    for level in LogLevel.allCases { #expect(LogLevel(parsing: level.name) == level) }
    for name in ["", "warning", "Error", "err"] { #expect(LogLevel(parsing: name) == nil) }
    #expect(LogLevel.debug < .info && LogLevel.warning < .error)
  }
}
