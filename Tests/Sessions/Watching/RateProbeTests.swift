import TestSupport
import Testing
import Time

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct RateProbeTests {
  /// Makes a device send lines at a rate while a probe searches for it.
  ///
  /// - Parameters:
  ///   - lines: the lines; nil for a device that sends nothing.
  ///   - interval: the time between two lines in milliseconds.
  ///   - refused: the rates that the port does not support.
  /// - Returns: the probe, and the time that it took in seconds.
  private func search(
    for lines: [[UInt8]]?, at rate: Int, beginningAt first: UInt32 = 9_600,
    parity: UARTSimulator.Parity? = nil, every interval: Int64 = 40, countsErrors: Bool = true,
    refusing refused: Set<UInt32> = []
  ) -> (probe: RateProbe, seconds: Double) {
    var now: Int64 = 1_000_000_000
    func time() -> MonotonicTime { MonotonicTime(nanoseconds: now) }
    var probe = RateProbe(at: first, countsErrors: countsErrors, now: time())
    for number in 0..<4_000 {
      now += interval * 1_000_000
      if let lines {
        var line = UARTSimulator(from: rate, to: Int(probe.rate))
        line.send(lines[number % lines.count], parity: parity)
        line.pause(nanoseconds: 30_000_000)
        let received = line.receive()
        received.map(\.byte).withUnsafeBytes { probe.add($0, at: time()) }
        probe.add(
          framingErrors: received.count(where: \.hasFramingError),
          breaks: received.count(where: \.isBreak), at: time())
      }
      var step = probe.step(at: time())
      while case .set(let rate) = step {
        if refused.contains(rate) {
          step = probe.skip()
        } else {
          probe.begin(rate, at: time())
          break
        }
      }
      if step == .finished { return (probe, Double(now) / 1e9 - 1) }
    }
    Issue.record("it does not end")
    return (probe, 0)
  }

  private let log = Corpus.texts[0].lines.map { Array("\($0)\r\n".utf8) }

  @Test(arguments: Corpus.rates)
  func `Each usual rate is found, with and without counted errors`(rate: Int) {
    // Another text for each rate.
    let place = Corpus.rates.firstIndex(of: rate) ?? 0
    let step = isThorough ? 1 : 9
    for (index, (name, lines)) in Corpus.texts.enumerated() where (index + place) % step == 0 {
      let lines = lines.map { Array("\($0)\r\n".utf8) }
      for counts in [true, false] {
        let (probe, seconds) = search(for: lines, at: rate, countsErrors: counts)
        guard case .likely(let trial, let framing) = probe.result else {
          Issue.record("\(name) at \(rate): \(probe.result)")
          continue
        }
        #expect(Int(trial.rate) == rate, "\(name)")
        #expect(framing == .eightBits)
        #expect(trial.framingErrorCount == (counts ? 0 : nil))
        #expect(seconds < 30, "\(name)")
      }
    }
  }

  @Test func `The present rate is the first, and ends it at once if it fits`() {
    let (probe, seconds) = search(for: log, at: 31_250, beginningAt: 31_250)
    #expect(probe.trials.map(\.rate) == [31_250])
    #expect(seconds < 1)
    guard case .likely(let trial, .eightBits) = probe.result else {
      Issue.record("\(probe.result)")
      return
    }
    #expect(trial.textCount == trial.byteCount)
  }

  @Test(arguments: [(UARTSimulator.Parity.even, "7E1"), (.odd, "7O1")])
  func `Seven bits with parity are noticed`(parity: UARTSimulator.Parity, framing: String) {
    let (probe, _) = search(for: log, at: 19_200, parity: parity)
    guard case .likely(let trial, let found) = probe.result else {
      Issue.record("\(probe.result)")
      return
    }
    #expect((trial.rate, found.rawValue) == (19_200, framing))
  }

  @Test func `Where nothing comes in, no other rate is tried`() {
    let (probe, seconds) = search(for: nil, at: 9_600)
    #expect(probe.result == .nothing)
    #expect(probe.trials.count == 1)
    #expect(seconds < 6)
  }

  @Test(arguments: [true, false]) func `Binary data is no text at any rate`(countsErrors: Bool) {
    for (name, pieces) in Corpus.binaries where ["random", "gzip", "UBX", "zeros"].contains(name) {
      let (probe, seconds) = search(for: pieces, at: 115_200, countsErrors: countsErrors)
      #expect(probe.result == .noText, "\(name)")
      #expect(probe.trials.count == RateProbe.usualRates.count)
      #expect(seconds < 30)
    }
  }

  @Test func `A rate that the port does not have is skipped`() {
    let (probe, _) = search(for: log, at: 57_600, refusing: [115_200])
    #expect(!probe.trials.map(\.rate).contains(115_200))
    guard case .likely(let trial, _) = probe.result else {
      Issue.record("\(probe.result)")
      return
    }
    #expect(trial.rate == 57_600)
  }

  @Test func `What was received at the rate before does not count`() {
    var probe = RateProbe(at: 9_600, countsErrors: true, now: MonotonicTime(nanoseconds: 0))
    Array("leftover".utf8).withUnsafeBytes {
      probe.add($0, at: MonotonicTime(nanoseconds: 50_000_000))
    }
    probe.add(framingErrors: 3, breaks: 1, at: MonotonicTime(nanoseconds: 50_000_000))
    _ = probe.step(at: MonotonicTime(nanoseconds: 6_000_000_000))
    #expect(probe.trials.first?.byteCount == 0)
    #expect(probe.trials.first?.framingErrorCount == 0)
  }
}
