import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct OptionalValuesTests {
  @Test(arguments: [
    (["-t"], ["-t", "time"]),
    (["-t", "iso", "port"], ["-t", "iso", "port"]),
    (["-t", "port"], ["-t", "time", "port"]),
    (["--timestamps", "delta:us"], ["--timestamps", "delta:us"]),
    (["--timestamps", "-x"], ["--timestamps", "time", "-x"]),
    (["-xt", "port"], ["-xt", "time", "port"]),
    (["--timestamps=iso"], ["--timestamps=iso"]),
    (["-", "t"], ["-", "t"]),
    (["--", "-t"], ["--", "-t"]),
    (["-b", "9600"], ["-b", "9600"]),
    (["--wait"], ["--wait"]),
  ])
  func format_isPutIn_whereNoneFollows(given: [String], expected: [String]) {
    #expect(OptionalValues.complete(given) == expected)
  }
}
