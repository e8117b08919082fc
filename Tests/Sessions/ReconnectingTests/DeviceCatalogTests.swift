import DeviceWatch
import EventLoop
import Observing
import SystemPackage
import TestSupport
import Testing

@testable import Reconnecting

@Suite(.timeLimit(.minutes(30))) struct DeviceCatalogTests {
  private final class Recorder: DeviceObserver {
    private(set) var events: [String] = []

    func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
      events.append("+\(device.node)")
    }
    func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
      events.append("-\(device.node)")
    }
  }

  private let loop: IOLoop
  private let ports: FakePorts

  init() throws {
    loop = try IOLoop()
    ports = try FakePorts()
  }

  private func catalog() -> DeviceCatalog {
    DeviceCatalog { [ports] () throws(Errno) in ports }
  }

  private func turn() throws { for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) } }

  @Test func unusedCatalog_doesNotAskUdev() throws {
    var sourceCount = 0
    let catalog = DeviceCatalog { [ports] () throws(Errno) in
      sourceCount += 1
      return ports
    }
    #expect(catalog.devices.isEmpty)
    #expect(sourceCount == 0)
    for _ in 0..<3 { _ = try catalog.current() }
    #expect(sourceCount == 1)
    #expect(ports.enumerationCount == 1)
  }

  @Test func listBeforeThePolling_isUpToDate() throws {
    let catalog = catalog()
    #expect(try catalog.current().isEmpty)
    let device = try ports.plug(0, inPort: 1)
    #expect(try catalog.current() == [device])
  }

  @Test func everyObserver_getsEachEventOnce_throughOneDescriptor() throws {
    let catalog = catalog()
    let (one, other) = (Recorder(), Recorder())
    // A second watch of the same descriptor would throw EEXIST.
    try catalog.addObserver(one, on: loop)
    try catalog.addObserver(other, on: loop)
    let device = try ports.plug(0, inPort: 1)
    try turn()
    catalog.removeObserver(one)
    try ports.unplug(device)
    try turn()
    #expect(one.events == ["+/dev/ttyFAKE0"])
    #expect(other.events == ["+/dev/ttyFAKE0", "-/dev/ttyFAKE0"])
    #expect(ports.enumerationCount == 1)
  }

  @Test func closure_isCalledAfterEachChange_untilItsTokenEnds() throws {
    let catalog = catalog()
    var lists: [[Device]] = []
    var token: ObservationToken? = try catalog.observe(on: loop) { _ in
      lists.append(catalog.devices)
    }
    #expect(token != nil)
    let device = try ports.plug(0, inPort: 1)
    try turn()
    try ports.change(device)
    try turn()
    try ports.unplug(device)
    try turn()
    #expect(lists == [[device], [device], []])
    token = nil
    try ports.plug(1, inPort: 1)
    try turn()
    #expect(lists.count == 3)
  }

  @Test func listWhileItIsPolled_showsTheReportedDevices() throws {
    let catalog = catalog()
    let recorder = Recorder()
    try catalog.addObserver(recorder, on: loop)
    try ports.plug(0, inPort: 1)
    #expect(try catalog.current().isEmpty)
    #expect(recorder.events.isEmpty, "observers are notified by the loop only")
    try turn()
    #expect(try catalog.current().count == 1)
  }

  @Test func withoutUdev_everyRequestFails_andALaterOneMaySucceed() throws {
    var isAvailable = false
    let catalog = DeviceCatalog { [ports] () throws(Errno) in
      guard isAvailable else { throw Errno.notPermitted }
      return ports
    }
    let recorder = Recorder()
    #expect(throws: Errno.notPermitted) { try catalog.current() }
    #expect(throws: Errno.notPermitted) { try catalog.addObserver(recorder, on: loop) }
    #expect(catalog.devices.isEmpty)
    isAvailable = true
    #expect(try catalog.current().isEmpty)
  }

  @Test func changesDuringAPause_areReportedAfterTheLastOne() throws {
    let catalog = catalog()
    let recorder = Recorder()
    try catalog.addObserver(recorder, on: loop)
    var pauses = [catalog.pause(), catalog.pause()]
    try ports.plug(0, inPort: 1)
    try turn()
    pauses.removeLast()
    try turn()
    #expect(recorder.events.isEmpty)
    pauses.removeLast()
    try turn()
    #expect(recorder.events == ["+/dev/ttyFAKE0"])
  }

  // MARK: Scanning

  @Test func sourceThatMayMissChanges_isAskedEverySecond_whileSomebodyWaits() throws {
    ports.reportsEveryChange = false
    let (catalog, clock, recorder) = (catalog(), ManualClock(), Recorder())
    try catalog.addObserver(recorder, on: loop)
    let device = try ports.plug(0, inPort: 1)
    var scans = [
      catalog.keepScanning(by: clock.scheduler), catalog.keepScanning(by: clock.scheduler),
    ]
    #expect(scans[0] != nil && scans[0] === scans[1])
    clock.advance(by: .milliseconds(999))
    #expect(recorder.events.isEmpty)
    clock.advance(by: .milliseconds(1))
    #expect(recorder.events == ["+/dev/ttyFAKE0"])
    try ports.unplug(device)
    do {
      let pause = catalog.pause()
      clock.advance(by: .seconds(5))
      withExtendedLifetime(pause) {}
    }
    #expect(recorder.events.count == 1)
    clock.advance(by: .seconds(1))
    #expect(recorder.events == ["+/dev/ttyFAKE0", "-/dev/ttyFAKE0"])
    scans = []
    #expect(clock.nextDelay == nil)
  }

  @Test func sourceThatReportsEveryChange_isNotAskedAgain() throws {
    let catalog = catalog()
    _ = try catalog.current()
    #expect(catalog.keepScanning(by: ManualClock().scheduler) == nil)
  }
}
