import DeviceWatch
import Observing
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Reconnecting

/// The times of attempts, and the questions before the first one.
@Suite(.timeLimit(.minutes(30))) struct ReconnectorWaitTests {
  private let endpoint = ReconnectorBench.endpoint
  private let device = Device(syspath: "/sys/1", node: "/dev/ttyFAKE1", kind: .usb)

  // MARK: Without a presence

  @Test func withoutAPresence_attemptsAreASecondApart_andReportedOnce() throws {
    let bench = try ReconnectorBench(hasPresence: false)
    try bench.reconnector.start()
    try bench.session.open(endpoint)
    bench.refusal = .notFound
    bench.clock.advance(by: .seconds(60))
    bench.loseLink()
    #expect(bench.attemptCount == 2, "the opening, and an attempt at once")
    bench.clock.advance(by: .seconds(10))
    #expect(bench.attemptCount == 14, "every 800 ms")
    #expect(bench.reports.count == 1)
    bench.refusal = nil
    bench.clock.advance(by: .seconds(1))
    #expect(bench.session.state.isOpen)
    #expect(bench.clock.nextDelay == nil)
  }

  @Test func farEndThatDropsEveryConnection_isTriedEvery800Milliseconds() throws {
    let bench = try ReconnectorBench(hasPresence: false)
    try bench.reconnector.start()
    try bench.session.open(endpoint)
    for second in 0..<5 {
      bench.loseLink()
      if second > 0 {
        bench.clock.advance(by: .milliseconds(799))
        #expect(!bench.session.state.isOpen)
        bench.clock.advance(by: .milliseconds(1))
      }
      #expect(bench.session.state.isOpen)
      #expect(bench.attemptCount == second + 2)
    }
  }

  @Test func withoutAPresence_aReleasedPortIsLeftAlone_andReopened() throws {
    let bench = try ReconnectorBench(hasPresence: false)
    try bench.reconnector.start()
    try bench.session.open(endpoint)
    bench.session.release()
    bench.clock.advance(by: .seconds(60))
    #expect(bench.attemptCount == 1)
    bench.session.takeBack()
    #expect(bench.session.state.isOpen)
  }

  // MARK: The first opening

  @Test func farEndThatIsDeclined_isNotOpened_untilItIsAccepted() throws {
    var arrivals: [Device?] = []
    var isAccepted = false
    let bench = try ReconnectorBench(mayOpen: {
      arrivals.append($1)
      return isAccepted
    })
    try bench.reconnector.start()
    try bench.session.waitForDevice(at: endpoint)
    bench.presence?.finding = .present(endpoint, device)
    bench.presence?.events.notify(.changed)
    #expect(bench.attemptCount == 0)
    isAccepted = true
    bench.presence?.events.notify(.changed)
    #expect(bench.session.state.isOpen)
    bench.loseLink()
    #expect(bench.session.state.isOpen)
    #expect(arrivals == [device, device], "later openings are not asked about")
  }

  @Test func unidentifiedDevice_isWaitedFor_butNotForLong() throws {
    for isIdentified in [true, false] {
      var arrivals: [Device?] = []
      let bench = try ReconnectorBench(mayOpen: {
        arrivals.append($1)
        return true
      })
      bench.reconnector.needsDevice = true
      try bench.reconnector.start()
      try bench.session.waitForDevice(at: endpoint)
      bench.presence?.finding = .unidentified(endpoint)
      bench.presence?.events.notify(.changed)
      bench.clock.advance(by: .milliseconds(1_999))
      #expect(bench.attemptCount == 0)
      if isIdentified {
        bench.presence?.finding = .present(endpoint, device)
        bench.presence?.events.notify(.changed)
      } else {
        bench.clock.advance(by: .milliseconds(1))
      }
      #expect(bench.session.state.isOpen)
      #expect(arrivals == [isIdentified ? device : nil])
    }
  }

  // MARK: After a failed attempt

  @Test func causeThatMayHaveGoneBeforeItWasWatched_isTriedAgainAtOnce() throws {
    let bench = try ReconnectorBench()
    try bench.reconnector.start()
    try bench.session.waitForDevice(at: endpoint)
    bench.refusal = .permissionDenied
    bench.presence?.failureWatch = FailureWatch(isNew: true)
    bench.appear()
    #expect(bench.clock.nextDelay == .zero)
    bench.presence?.failureWatch = FailureWatch(reportsAccess: true)
    bench.clock.advance(by: .zero)
    #expect(bench.attemptCount == 2)
    #expect(bench.clock.nextDelay == .seconds(2), "an event reports changed permissions")
    #expect(bench.reports.isEmpty)
    bench.clock.advance(by: .seconds(2))
    #expect(bench.reports.count == 1)
  }

  @Test func holder_isNamedAtOnce_ifTheUserAskedToWait() throws {
    for waitsForPort in [true, false] {
      let bench = try ReconnectorBench()
      bench.reconnector.waitsForPort = waitsForPort
      try bench.reconnector.start()
      try bench.session.waitForDevice(at: endpoint)
      bench.refusal = .busy
      bench.presence?.failureWatch = FailureWatch(reportsUse: true)
      bench.appear()
      let error = SerialError(.busy, in: "open", at: endpoint)
      #expect(bench.reports == (waitsForPort ? [.held(error)] : []))
      bench.clock.advance(by: .seconds(1))
      #expect(bench.reports == [.held(error)])
    }
  }

  @Test func farEndThatComesAgain_isReportedAgain() throws {
    let bench = try ReconnectorBench()
    try bench.reconnector.start()
    try bench.session.waitForDevice(at: endpoint)
    bench.refusal = .busy
    for count in 1...3 {
      bench.appear()
      bench.clock.advance(by: .seconds(5))
      #expect(bench.reports.count == count)
      bench.presence?.finding = .absent
      bench.presence?.events.notify(.removed(isFarEnd: true))
    }
  }

  // MARK: Questions

  @Test func question_isAskedOnce_andSettledByTheChoice() throws {
    let bench = try ReconnectorBench()
    try bench.reconnector.start()
    try bench.session.open(endpoint)
    bench.presence?.finding = .lookAlikes([device])
    bench.loseLink()
    bench.presence?.events.notify(.changed)
    #expect(bench.reports == [.lookAlikes([device])])
    #expect(bench.reconnector.candidates == [device])
    bench.presence?.finding = .present(endpoint, device)
    bench.reconnector.choose(device)
    #expect(bench.presence?.chosen == [device])
    #expect(bench.session.state.isOpen)
    #expect(bench.reports == [.lookAlikes([device]), .settled])
    #expect(bench.reconnector.candidates.isEmpty)
  }

  @Test func question_isSettled_whenNoneIsLeft_orTheSessionEnds() throws {
    for closes in [true, false] {
      let bench = try ReconnectorBench()
      try bench.reconnector.start()
      try bench.session.open(endpoint)
      bench.presence?.finding = .several([device, device])
      bench.loseLink()
      bench.presence?.finding = .absent
      if closes {
        bench.session.close()
      } else {
        bench.presence?.events.notify(.removed(isFarEnd: false))
      }
      #expect(bench.reports == [.several([device, device]), .settled])
    }
  }

  // MARK: The end

  @Test func sessionThatDoesNotWait_endsWithItsDevice() throws {
    let bench = try ReconnectorBench(waitsForLostDevice: false)
    try bench.reconnector.start()
    try bench.session.open(endpoint)
    bench.loseLink()
    guard case .closed(.lost) = bench.session.state else {
      Issue.record("\(bench.session.state)")
      return
    }
    bench.appear()
    #expect(bench.attemptCount == 1)
    #expect(bench.presence?.leaveCount == 1)
  }

  @Test func presence_isWatchedOnlyWhileTheSessionWaits() throws {
    let bench = try ReconnectorBench()
    try bench.reconnector.start()
    try bench.session.waitForDevice(at: endpoint)
    #expect(bench.presence?.isWatching == true)
    bench.appear()
    #expect(bench.presence?.isWatching == false)
    #expect(bench.presence?.opened == [endpoint])
    bench.presence?.finding = .absent
    bench.loseLink()
    #expect(bench.presence?.isWatching == true)
    bench.session.release()
    #expect(bench.presence?.isWatching == false)
    bench.session.takeBack()
    #expect(bench.presence?.isWatching == true)
    bench.session.close()
    #expect(bench.presence?.isWatching == false)
    #expect(bench.clock.nextDelay == nil)
  }
}
