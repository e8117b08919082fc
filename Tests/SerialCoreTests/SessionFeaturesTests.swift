import Observing
import TestSupport
import Testing

@testable import SerialCore

/// A port whose features change while its link is open, because the far end opens the real port.
@Suite(.timeLimit(.minutes(30))) struct SessionFeaturesTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private let port = Endpoint(Endpoint.Kind("mirror"), "mirror:far")

  private func probe(_ lines: ModemLines?, _ counters: LineCounters? = nil) -> LineProbe {
    LineProbe(modemLines: lines, counters: counters, hasBreaks: lines != nil, hasSettings: true)
  }

  @Test func `Features that go and come are those of the session, and are observed`() throws {
    try session.open(port)
    let all: LineCapabilities = [.modemLines, .breaks, .settings, .counters]
    #expect(session.capabilities == all)
    var changes: [LineCapabilities] = []
    let token = session.observe(.capabilitiesChange) { [session] in
      changes.append($0.new)
      #expect(session.capabilities == $0.new)
      #expect((session.modemLines == nil) == !$0.new.contains(.modemLines))
    }
    bench.link.tell(.featuresChanged(probe(nil)))
    #expect(session.capabilities == .settings)
    #expect(session.modemLines == nil && session.counters == nil)
    // Reports of lines and counters that the port does not have change nothing.
    bench.link.tell(.modemLinesChanged(.cts))
    bench.link.tell(.countersChanged(LineCounters()))
    #expect(session.modemLines == nil && session.counters == nil)
    bench.link.tell(.featuresChanged(probe(nil)))
    bench.link.tell(.featuresChanged(probe([.dtr], LineCounters())))
    #expect(changes == [.settings, all])
    #expect(session.modemLines == .dtr && session.counters == LineCounters())
    withExtendedLifetime(token) {}
  }

  @Test func `Features of a link that is closed are nothing`() throws {
    try session.open(port)
    let link = bench.link
    session.close()
    link.tell(.featuresChanged(probe([.dtr])))
    #expect(session.capabilities == [] && session.modemLines == nil)
  }

  @Test func `Counters that the far end reports are observed once`() throws {
    try session.open(port)
    var changes: [UInt32] = []
    let token = session.observe(.countersChange) {
      changes.append($0.new.changes(since: $0.old).framingErrors)
    }
    var counters = LineCounters()
    counters.framingErrors = 3
    bench.link.tell(.countersChanged(counters))
    bench.link.tell(.countersChanged(counters))
    #expect(changes == [3] && session.counters == counters)
    withExtendedLifetime(token) {}
  }
}
