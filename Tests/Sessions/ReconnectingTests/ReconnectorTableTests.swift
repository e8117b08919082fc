import DeviceWatch
import Observing
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Reconnecting

/// Every state of a session, with every event that can occur for its reconnector.
@Suite(.timeLimit(.minutes(30))) struct ReconnectorTableTests {
  /// The states, and how a session reaches them.
  enum Start: String, CaseIterable {
    case closed, opening, open, absent, lost, denied, busy, gone, reopening, lent, taken

    func prepare(_ bench: ReconnectorBench) throws {
      let endpoint = ReconnectorBench.endpoint
      try bench.reconnector.start()
      switch self {
      case .closed: break
      case .opening:
        bench.opensLate = true
        try bench.session.open(endpoint)
      case .open: try bench.session.open(endpoint)
      case .absent: try bench.session.waitForDevice(at: endpoint)
      case .lost:
        try bench.session.open(endpoint)
        bench.loseLink()
      case .denied: try refuse(.permissionDenied, bench)
      case .busy: try refuse(.busy, bench)
      case .gone: try refuse(.notFound, bench)
      case .reopening:
        try bench.session.waitForDevice(at: endpoint)
        bench.opensLate = true
        bench.appear()
      case .lent:
        try bench.session.open(endpoint)
        bench.session.release()
      case .taken:
        try bench.session.open(endpoint)
        bench.session.release()
        bench.session.takeBack()
      }
      (bench.refusal, bench.opensLate) = (nil, false)
    }

    private func refuse(_ code: SerialError.Code, _ bench: ReconnectorBench) throws {
      try bench.session.waitForDevice(at: ReconnectorBench.endpoint)
      bench.refusal = code
      bench.appear()
    }
  }

  /// The events.
  enum Event: String, CaseIterable {
    case appears, appearsAgain, isAbsent, lookAlike, twins, unidentified, unwatchable
    case removed, otherRemoved, used, second, opened, refused, linkLost, release, takeBack, close

    func happen(to bench: ReconnectorBench) {
      let presence = bench.presence!
      let device = Device(syspath: "/sys/1", node: "/dev/ttyFAKE1", kind: .usb)
      let endpoint = ReconnectorBench.endpoint
      func find(_ finding: PresenceFinding, _ event: PresenceEvent = .changed) {
        presence.finding = finding
        presence.events.notify(event)
      }
      switch self {
      case .appears: find(.present(endpoint, device))
      case .appearsAgain: find(.present(endpoint, device), .appeared)
      case .isAbsent: find(.absent)
      case .lookAlike: find(.lookAlikes([device]))
      case .twins: find(.several([device, device]))
      case .unidentified: find(.unidentified(endpoint))
      case .unwatchable: find(.failed(SerialError(.system, in: "inotify", at: endpoint)))
      case .removed: find(.absent, .removed(isFarEnd: true))
      case .otherRemoved: find(.absent, .removed(isFarEnd: false))
      case .used: find(.present(endpoint, device), .used)
      case .second:
        presence.finding = .present(endpoint, device)
        bench.clock.advance(by: .seconds(1))
      case .opened, .refused:
        guard case .opening = bench.session.state else { return }
        presence.finding = .absent
        bench.link?.refusal = self == .refused ? .busy : nil
        bench.link?.finishOpening()
      case .linkLost:
        presence.finding = .absent
        if bench.session.state.isOpen { bench.loseLink() }
      case .release:
        presence.finding = .absent
        bench.session.release()
      case .takeBack:
        presence.finding = .present(endpoint, device)
        bench.session.takeBack()
      case .close: bench.session.close()
      }
    }
  }

  /// The resulting state of the session. A `+` is an attempt to open, `?` a question to the user,
  /// `!` a report about a port that cannot be opened, `.` the end of a question.
  private static let table = """
    event       |closed|opening|open  |absent |lost  |denied |busy  |gone  |reopening|lent  |taken
    appears     |closed|opening|open  |open+  |open+ |open+  |open+ |open+ |reopening|lent  |open+
    appearsAgain|closed|opening|open  |open+  |open+ |open+  |open+ |open+ |reopening|lent  |open+
    isAbsent    |closed|opening|open  |absent |lost  |denied |busy  |gone  |reopening|lent  |taken
    lookAlike   |closed|opening|open  |absent?|lost? |denied?|busy? |gone? |reopening|lent  |taken?
    twins       |closed|opening|open  |absent?|lost? |denied?|busy? |gone? |reopening|lent  |taken?
    unidentified|closed|opening|open  |open+  |open+ |open+  |open+ |open+ |reopening|lent  |open+
    unwatchable |closed|opening|open  |absent!|lost! |denied!|busy! |gone! |reopening|lent  |taken!
    removed     |closed|closed |lost  |absent |lost  |denied |busy  |gone  |failed!  |lent  |taken
    otherRemoved|closed|opening|open  |absent |lost  |denied |busy  |gone  |reopening|lent  |taken
    used        |closed|opening|open  |open+  |open+ |open+  |open+ |open+ |reopening|lent  |open+
    second      |closed|opening|open  |absent |lost  |open+  |open+ |open+ |reopening|lent  |taken
    opened      |closed|open   |open  |absent |lost  |denied |busy  |gone  |open     |lent  |taken
    refused     |closed|closed |open  |absent |lost  |denied |busy  |gone  |busy     |lent  |taken
    linkLost    |closed|opening|lost  |absent |lost  |denied |busy  |gone  |reopening|lent  |taken
    release     |closed|lent   |lent  |lent   |lent  |lent   |lent  |lent  |lent     |lent  |lent
    takeBack    |closed|opening|open  |absent |lost  |denied |busy  |gone  |reopening|open+ |taken
    close       |closed|closed |closed|closed |closed|closed |closed|closed|closed   |closed|closed
    """

  private static func shown(_ state: SessionState) -> String {
    switch state {
    case .closed: "closed"
    case .opening(_, after: nil): "opening"
    case .opening: "reopening"
    case .open: "open"
    case .waitingForDevice(_, .absent): "absent"
    case .waitingForDevice(_, .lost): "lost"
    case .waitingForDevice(_, .released): "taken"
    case .waitingForDevice(_, .failed(let error)):
      switch error.code {
      case .permissionDenied: "denied"
      case .busy: "busy"
      case .notFound: "gone"
      default: "failed"
      }
    case .released: "lent"
    }
  }

  private static func result(of event: Event, in start: Start) throws -> String {
    let bench = try ReconnectorBench()
    try start.prepare(bench)
    let (attempts, reports) = (bench.attemptCount, bench.reports.count)
    event.happen(to: bench)
    let marks = bench.reports.dropFirst(reports).map { report in
      switch report {
      case .held, .refused: "!"
      case .several, .lookAlikes: "?"
      case .settled: "."
      }
    }
    let opened = String(repeating: "+", count: bench.attemptCount - attempts)
    return shown(bench.session.state) + opened + marks.joined()
  }

  @Test func everyEvent_inEveryState() throws {
    let rows = Self.table.split(separator: "\n").map { line in
      line.split(separator: "|").map { $0.split(separator: " ").joined() }
    }
    let starts = try #require(rows.first).dropFirst().map { Start(rawValue: $0) }
    #expect(starts == Start.allCases)
    #expect(rows.dropFirst().map { Event(rawValue: $0[0]) } == Event.allCases)
    for (row, event) in zip(rows.dropFirst(), Event.allCases) {
      for (expected, start) in zip(row.dropFirst(), Start.allCases) {
        let result = try Self.result(of: event, in: start)
        #expect(result == expected, "\(event) in \(start)")
      }
    }
  }
}
