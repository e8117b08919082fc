import Options
import Testing

@Suite("Parameters and their values")
struct ParameterTests {
  private enum Size: Int, CaseIterable {
    case small = 5
    case large = 8
  }

  private static let size = Parameter<Size>.choice(
    "size", "BITS", "The size.", standard: .large)
  private static let wait = Parameter<Double>.time("wait", "Seconds.", 0...10, standard: 0.5)
  private static let again = Parameter<Bool>.pair("again", off: "once", "Again, or not.")
  private static let both = Parameter<Bool?>.pair("both", off: "no-both", "Both, or not.")
  private static let files = Parameter<[String]>.list("file", "FILE", "Files.", parse: { $0 })
  private static let rules = Parameter<[String]>.pairs(
    "rule", "WHEN WHAT", "A rule.",
    parse: { first, second in
      guard first != "bad" else { throw ValueError(first, expected: "a good one") }
      return "\(first)->\(second)"
    })
  private static let count = Parameter<Int?>.option(
    "count", "N", "How many.", kind: .wholeNumber,
    parse: { try Int.number($0, of: "pieces", in: 1...Int.max) })

  private static let all: [any Declared] = [size, wait, again, both, files, rules, count]

  private func values(
    _ words: [String], _ configured: [Given.Entry] = []
  ) throws -> Values {
    let declarations = Self.all.map(\.declaration)
    return try Values(
      try WordReader.read(words, declarations, canSwitchOff: true), configured, of: declarations)
  }

  @Test("without words they have their default values")
  func standard() throws {
    let values = try values([])
    #expect(values[Self.size] == .large)
    #expect(values[Self.wait] == 0.5)
    #expect(values[Self.again])
    #expect(values[Self.both] == nil)
    #expect(values[Self.files] == [])
    #expect(values[Self.count] == nil)
  }

  @Test("the command line overrides the configuration, which overrides the default")
  func order() throws {
    let configured = [
      Given.Entry("size", ["5"]), .init("file", ["a", "b"]), .init("again", ["false"]),
      .init("count", ["3"]),
    ]
    let values = try values(["--file", "c", "--no-count", "--again"], configured)
    #expect(values[Self.size] == .small)
    #expect(values[Self.files] == ["c"])
    #expect(values[Self.again])
    #expect(values[Self.count] == nil)
  }

  @Test("an option with two values, once or more")
  func pairs() throws {
    let values = try values(["--rule", "a", "b", "--rule=-c", "d", "--size", "5"])
    #expect(values[Self.rules] == ["a->b", "-c->d"])
    #expect(try self.values([])[Self.rules] == [])
    #expect(values[Self.size] == .small)
    for words in [["--rule"], ["--rule", "a"], ["--rule=a"], ["--rule", "a", "--size", "5"]] {
      let error = #expect(throws: WordError.self) { try self.values(words) }
      guard case .missingValue(let declaration, _)? = error else {
        Issue.record("\(words)")
        continue
      }
      #expect(declaration.name == "rule")
    }
    let error = #expect(throws: UsageError.self) { try self.values(["--rule", "bad", "b"]) }
    #expect(error?.description == "--rule 'bad': expected a good one")
    // A configuration can neither set it nor switch it off.
    #expect(throws: WordError.self) { try self.values(["--no-rule"]) }
  }

  @Test("of two configured entries the last counts; one without texts cancels")
  func entries() throws {
    let values = try values(
      [], [.init("size", ["5"]), .init("size", ["8"]), .init("count", ["1"]), .init("count", [])])
    #expect(values[Self.size] == .large)
    #expect(values[Self.count] == nil)
  }

  @Test(
    "a wrong value is refused with the expected form",
    arguments: [
      (["--size=6"], "--size '6': expected one of 5, 8"),
      (
        ["--wait", "11"],
        "--wait '11': expected seconds from 0 to 10, or a time such as 500ms, 2s, 5min or 1h"
      ),
      (
        ["--wait", "x"],
        "--wait 'x': expected seconds from 0 to 10, or a time such as 500ms, 2s, 5min or 1h"
      ),
      (
        ["--wait", "nan"],
        "--wait 'nan': expected seconds from 0 to 10, or a time such as 500ms, 2s, 5min or 1h"
      ),
      (["--count", "0"], "--count '0': expected 1 or more pieces"),
    ])
  func refused(words: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try values(words) }
    #expect(error?.description == message)
    #expect(error?.parameters.count == 1)
  }

  @Test("a length of time is written in seconds or with a unit", arguments: ["2", "2s", "2000ms"])
  func time(text: String) throws {
    #expect(try values(["--wait", text])[Self.wait] == 2)
  }

  @Test("help has the example first, and each parameter once in 80 columns")
  func help() {
    let command = CommandDescription(
      "cut", "Cut something.",
      "A discussion that is long enough to be wrapped at eighty columns.\n\n  kept",
      example: "tool cut --size 5", mostUsed: [Self.size],
      sections: [ParameterSection("OPTIONS", Self.all)])
    let text = HelpText(command, of: "tool", isComplete: true).text
    #expect(
      text == """
        Cut something.

        Usage: tool cut [OPTIONS]

        EXAMPLE
          tool cut --size 5

        A discussion that is long enough to be wrapped at eighty columns.

          kept

        OPTIONS
              --size BITS         The size. Default: 8.
              --wait TIME         Seconds. As 500ms, 2s, 5min or 1h; a number alone is
                                  seconds. Default: 0.5s.
          --again, --once         Again, or not. Default: --again.
          --both, --no-both       Both, or not.
              --file FILE         Files.
              --rule WHEN WHAT    A rule.
              --count N           How many.

        """)
    let brief = HelpText(command, of: "tool", isComplete: false).text
    #expect(
      brief.hasSuffix(
        """
          kept

        MOST USED OPTIONS
              --size BITS         The size. Default: 8.

        All options: tool help cut all

        """))
  }
}
