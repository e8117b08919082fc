import CSerial
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct LineCountersTests {
  @Test func changes_countOverTheEnd() {
    var (before, after) = (LineCounters(), LineCounters())
    (before.received, after.received) = (.max, 4)
    (before.breaks, after.breaks) = (2, 3)
    var expected = LineCounters()
    (expected.received, expected.breaks) = (5, 1)
    #expect(after.changes(since: before) == expected)
  }

  @Test func everyCounter_isTheKernelsOfThatName() {
    var raw = serial_icounter_struct()
    (raw.cts, raw.dsr, raw.rng, raw.dcd, raw.rx, raw.tx) = (1, 2, 3, 4, 5, -1)
    (raw.frame, raw.overrun, raw.parity, raw.brk, raw.buf_overrun) = (7, 8, 9, 10, 11)
    let counters = LineCounters(raw)
    #expect(counters.ctsChanges == 1 && counters.dsrChanges == 2)
    #expect(counters.riChanges == 3 && counters.dcdChanges == 4)
    #expect(counters.received == 5 && counters.sent == .max)
    #expect(counters.framingErrors == 7 && counters.overruns == 8)
    #expect(counters.parityErrors == 9 && counters.breaks == 10)
    #expect(counters.bufferOverruns == 11)
  }
}
