import Options
import Patterns
import Sessions
import Testing
import Time

@testable import serialterm

/// `serialterm send --every`: its options, and what it sums up.
@Suite struct RepeatedSendTests {
  @Test(arguments: [
    ("x --count 3", "--count needs --every TIME"),
    ("--every 1s", "--every needs TEXT: standard input can be read only once"),
    (
      "--every 1s --file a",
      "--every is for TEXT, and not for files: repeat the command in a shell"
    ),
    ("x --every 1s --protocol ymodem", "--protocol is for files: name them with --file"),
  ])
  func `Only TEXT is repeated`(_ words: String, _ message: String) {
    #expect(throws: UsageError(message)) { try read(words) }
  }

  @Test(arguments: [
    "x --every 0", "x --every -1s", "x --every 0.5ms", "x --every 2d", "x --every often",
    "x --every 1s --count 0", "x --every 1s --count -1", "x --every 1s --count 1.5",
  ])
  func `Intervals and counts are above zero`(_ words: String) {
    #expect(throws: UsageError.self) { try read(words) }
  }

  @Test(arguments: ["x --every 1ms", "x --every 1d --count 1", "x --every 0.5 --expect ok"])
  func `Times have units, or are seconds`(_ words: String) throws { try read(words) }

  private func read(_ words: String) throws {
    _ = try reading(["send", "ttyUSB0"] + words.split(separator: " ").map(String.init)).command
  }

  @Test func `The summary has counts and times as those of ping`() throws {
    let ok = try ExpectedPattern.regex("ok")
    var request = RepeatedRequest(
      [1], every: .milliseconds(100), expecting: ok, within: .milliseconds(250))
    func handle(_ event: ExchangeEvent, _ microseconds: Int64) {
      _ = request.handle(event, at: MonotonicTime(nanoseconds: microseconds * 1_000))
    }
    handle(.begun, 0)
    handle(.drained, 100)
    #expect(request.summary == "1 sent, 0 answered, 0 lost (0 %), 1 awaited, 0 late")
    handle(.received(Array("ok".utf8)), 1_204)
    handle(.woken, 100_000)
    handle(.drained, 100_000)
    handle(.woken, 350_000)
    #expect(
      request.summary
        == "2 sent, 1 answered, 1 lost (50 %), 2 late, min/avg/max 1.204/1.204/1.204 ms")
    var silent = RepeatedRequest([1], every: .milliseconds(100), within: .seconds(1))
    _ = silent.handle(.begun, at: MonotonicTime(nanoseconds: 0))
    #expect(silent.summary == "1 sent, 0 late")
  }

  @Test func `Seconds as a person writes them are whole nanoseconds`() {
    #expect(Duration(rounding: 0.3) == .milliseconds(300))
    #expect(Duration(rounding: 0.001) == .milliseconds(1))
    #expect(Duration(rounding: 86_400) == .seconds(86_400))
  }
}
