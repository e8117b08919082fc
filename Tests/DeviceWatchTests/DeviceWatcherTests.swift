import Observing
import SystemPackage
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct DeviceWatcherTests {
  private let source = FakeSource()
  private let recorder = DeviceRecorder()
  private let watcher: DeviceWatcher
  private let one = Device.ftdi(1)
  private let two = Device.ftdi(2)

  init() {
    watcher = DeviceWatcher(source: source)
    watcher.addObserver(recorder)
  }

  // MARK: The start

  @Test func devicesPresentAtTheStart_areListed_withoutAnEvent() throws {
    source.present = [two, one]
    try watcher.startIfNeeded()
    #expect(watcher.devices == [one, two])
    #expect(recorder.heard == [])
  }

  @Test func start_looksOnce() throws {
    try watcher.startIfNeeded()
    try watcher.startIfNeeded()
    #expect(source.enumerationCount == 1)
  }

  @Test func start_thatFails_throws_andCanBeRepeated() throws {
    source.present = [one]
    source.error = .noMemory
    #expect(throws: Errno.noMemory) { try watcher.startIfNeeded() }
    #expect(watcher.devices == [])
    try watcher.startIfNeeded()
    #expect(watcher.devices == [one])
  }

  @Test func deviceThatAppearsBetweenListeningAndListing_isListed_andReportedOnce() throws {
    source.plug(one)
    try watcher.startIfNeeded()
    watcher.handleReadable()
    #expect(watcher.devices == [one])
    #expect(recorder.heard == [], "it is in the list; its event comes too late to be news")
  }

  @Test func deviceThatComesWhileLooking_isNotMissed() throws {
    source.onEnumerate = { [source, one] in source.plug(one) }
    try watcher.startIfNeeded()
    #expect(watcher.devices == [])
    watcher.handleReadable()
    #expect(watcher.devices == [one])
    #expect(recorder.heard == [.appeared(one)])
  }

  @Test func deviceThatGoesWhileLooking_isNotKept() throws {
    source.present = [one]
    source.onEnumerate = { [source, one] in source.unplug(one) }
    try watcher.startIfNeeded()
    watcher.handleReadable()
    #expect(watcher.devices == [])
    #expect(recorder.heard == [.disappeared(one)])
  }

  // MARK: Events

  @Test func eachChange_isReportedOnce_inOrder_andTheListShowsIt() throws {
    let linked = one.with(\.links, ["/dev/board"])
    try watcher.startIfNeeded()
    source.plug(one)
    source.plug(two)
    source.change(linked)
    source.unplug(two)
    watcher.handleReadable()
    #expect(
      recorder.heard == [
        .appeared(one), .appeared(two), .changed(Change(from: one, to: linked)), .disappeared(two),
      ])
    #expect(recorder.lists == [[one], [one, two], [linked, two], [linked]])
  }

  @Test func overrun_causesANewSearch_andReportsTheDifferences() throws {
    source.present = [one]
    try watcher.startIfNeeded()
    source.unplug(one)
    source.plug(two)
    source.waiting = [.overrun]
    watcher.handleReadable()
    #expect(recorder.heard == [.disappeared(one), .appeared(two)])
    #expect(watcher.devices == [two])
  }

  @Test func overrun_thatCannotBeMadeUpFor_isMadeUpForNextTime() throws {
    try watcher.startIfNeeded()
    source.present = [one]
    source.waiting = [.overrun]
    source.error = .noMemory
    watcher.handleReadable()
    #expect(watcher.devices == [])
    source.plug(two)
    watcher.handleReadable()
    #expect(watcher.devices == [one, two])
    watcher.handleReadable()
    #expect(source.enumerationCount == 3, "the start, the failure, the success")
  }

  @Test func movedDevice_isTheSameDevice() throws {
    source.present = [one]
    try watcher.startIfNeeded()
    let moved = one.with(\.syspath, "/sys/devices/elsewhere/ttyUSB1")
    source.waiting = [.moved(moved, from: one.syspath)]
    watcher.handleReadable()
    #expect(recorder.heard == [.changed(Change(from: one, to: moved))])
  }

  // MARK: Enumerating again

  @Test func rescan_tellsTheDifferences() throws {
    try watcher.startIfNeeded()
    source.present = [one]
    try watcher.rescan()
    try watcher.rescan()
    #expect(recorder.heard == [.appeared(one)])
  }

  @Test func rescan_thatFails_throws_andChangesNothing() throws {
    source.present = [one]
    try watcher.startIfNeeded()
    source.present = []
    source.error = .noMemory
    #expect(throws: Errno.noMemory) { try watcher.rescan() }
    #expect(watcher.devices == [one])
    #expect(recorder.heard == [])
    watcher.handleReadable()
    #expect(recorder.heard == [.disappeared(one)])
  }

  // MARK: Observers that call back

  @Test func observerThatRescans_firstGetsTheRestOfTheRound() throws {
    try watcher.startIfNeeded()
    let three = Device.ftdi(3)
    source.plug(one)
    source.plug(two)
    recorder.onEvent = { [source, watcher, one] event in
      guard event == .appeared(one) else { return }
      source.present.append(three)
      #expect(throws: Never.self) { try watcher.rescan() }
    }
    watcher.handleReadable()
    #expect(recorder.heard == [.appeared(one), .appeared(two), .appeared(three)])
  }

  @Test func observerThatReadsMoreEvents_doesNotOvertakeThoseBefore() throws {
    source.present = [one]
    try watcher.startIfNeeded()
    source.change(one)
    source.unplug(one)
    recorder.onEvent = { [source, watcher, one, recorder] _ in
      guard recorder.heard.count == 1 else { return }
      source.plug(one)
      watcher.handleReadable()
    }
    watcher.handleReadable()
    #expect(
      recorder.heard
        == [.changed(Change(from: one, to: one)), .disappeared(one), .appeared(one)])
    #expect(watcher.devices == [one])
  }

  @Test func observerMayDropTheLastReference_toTheWatcher() throws {
    var owned: DeviceWatcher? = DeviceWatcher(source: source)
    weak let watched = owned
    let second = DeviceRecorder()
    for observer in [recorder, second] { owned?.addObserver(observer) }
    try owned?.startIfNeeded()
    recorder.onEvent = { _ in owned = nil }
    source.plug(one)
    source.plug(two)
    owned?.handleReadable()
    #expect(second.heard == [.appeared(one), .appeared(two)], "what was read is told to the end")
    #expect(watched == nil)
  }

  @Test func removedObserver_getsNoEvents() throws {
    try watcher.startIfNeeded()
    watcher.removeObserver(recorder)
    source.plug(one)
    watcher.handleReadable()
    #expect(recorder.heard == [])
  }

  @Test func closures_getTheirKindOfEvent() throws {
    var appeared: [Device] = []
    var disappeared: [Device] = []
    var changed: [Change<Device>] = []
    let tokens = [
      watcher.observe(\.appearance) { appeared.append($0) },
      watcher.observe(\.disappearance) { disappeared.append($0) },
      watcher.observe(\.change) { changed.append($0) },
    ]
    try watcher.startIfNeeded()
    source.plug(one)
    source.change(one)
    source.unplug(one)
    watcher.handleReadable()
    #expect(appeared == [one])
    #expect(disappeared == [one])
    #expect(changed == [Change(from: one, to: one)])
    withExtendedLifetime(tokens) {}
  }
}
