import DeviceWatch
import Glibc
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Reconnecting

@Suite(.timeLimit(.minutes(30))) struct ReconnectorTests {
  typealias Adapter = PlugBoard.Adapter

  private func isOn(_ adapter: Adapter, _ bench: Bench) -> Bool {
    bench.session.state.isOpen && bench.session.state.endpoint?.path == adapter.device?.node
  }

  /// Plugs in an adapter whose port another program holds.
  ///
  /// - Returns: the descriptor of that program.
  private func plugHeld(_ adapter: Adapter, _ bench: Bench) throws -> FileDescriptor {
    try bench.board.plug(adapter)
    let holder = try FileDescriptor.open(try #require(adapter.device?.node), .readWrite)
    #expect(flock(holder.rawValue, LOCK_EX) == 0)
    return holder
  }

  // MARK: The same device

  @Test func device_isFollowed_intoAnyPort_andToAnyNode() throws {
    let bench = try Bench()
    let ours = Adapter("OURS1", inPort: 1)
    try bench.board.plug(ours)
    try bench.follow(ours)
    for port in 2..<5 {
      try bench.board.unplug(ours)
      try bench.settle()
      #expect(!bench.session.state.isOpen)
      ours.port = port
      try bench.board.plug(ours, saying: "boot \(port)\n")
      try bench.settle()
      #expect(isOn(ours, bench))
    }
    #expect(try bench.wait(until: { bench.received.text == "boot 2\nboot 3\nboot 4\n" }))
  }

  @Test func stranger_isNeverTaken_norAskedAbout() throws {
    let bench = try Bench()
    let (ours, other) = (Adapter("OURS1", inPort: 1), Adapter("THEIRS2", inPort: 2))
    try bench.board.plug(ours)
    try bench.follow(ours)
    try bench.board.unplug(ours)
    try bench.board.plug(other)
    try bench.settle()
    #expect(!bench.session.state.isOpen)
    #expect(bench.reports.isEmpty)
  }

  @Test func aStrangersUnplugging_leavesTheSessionAlone() throws {
    let bench = try Bench()
    let (ours, other) = (Adapter("OURS1", inPort: 1), Adapter("THEIRS2", inPort: 2))
    try bench.board.plug(ours)
    try bench.board.plug(other)
    try bench.follow(ours)
    try bench.board.unplug(other)
    try bench.settle()
    #expect(isOn(ours, bench))
    #expect(bench.received.states.filter { !$0.isOpen }.count == 1, "only the opening")
  }

  // MARK: Look-alikes

  @Test(arguments: [nil, "0001"])
  func adapterWithoutANumber_isKnownByItsPort(serialNumber: String?) throws {
    let bench = try Bench()
    let (ours, twin) = (Adapter(serialNumber, inPort: 1), Adapter(serialNumber, inPort: 2))
    try bench.board.plug(ours)
    try bench.board.plug(twin)
    try bench.follow(ours)
    try expectReturnToOurs(ours, bench)
  }

  /// Unplugs the session's device and plugs it in again, next to a twin.
  private func expectReturnToOurs(_ ours: Adapter, _ bench: Bench) throws {
    try bench.board.unplug(ours)
    try bench.settle()
    #expect(!bench.session.state.isOpen)
    #expect(bench.reports.isEmpty, "the twin was there before: it is not ours")
    try bench.board.plug(ours)
    try bench.settle()
    #expect(isOn(ours, bench))
  }

  @Test func adapterWithoutANumber_inAnotherPort_isAskedAbout_andChosen() throws {
    let bench = try Bench()
    let ours = Adapter(nil, inPort: 1)
    try bench.board.plug(ours)
    try bench.follow(ours)
    try bench.board.unplug(ours)
    ours.port = 2
    try bench.board.plug(ours)
    try bench.settle()
    #expect(!bench.session.state.isOpen)
    let device = try #require(ours.device)
    #expect(bench.reports == [.lookAlikes([device])])
    #expect(bench.reconnector?.candidates == [device])
    bench.reconnector?.choose(device)
    #expect(isOn(ours, bench))
    #expect(bench.reports.last == .settled)
  }

  @Test func lookAlikeThatGoesAgain_isNoLongerAskedAbout() throws {
    let bench = try Bench()
    let (ours, twin) = (Adapter(nil, inPort: 1), Adapter(nil, inPort: 2))
    try bench.board.plug(ours)
    try bench.follow(ours)
    try bench.board.unplug(ours)
    try bench.board.plug(twin)
    try bench.settle()
    try bench.board.unplug(twin)
    try bench.settle()
    #expect(bench.reports.last == .settled)
    #expect(bench.reconnector?.candidates == [])
    try bench.board.plug(ours)
    try bench.settle()
    #expect(isOn(ours, bench))
  }

  @Test func severalThatFit_areAskedAbout_andTheLastOneLeftIsNotTaken() throws {
    let bench = try Bench()
    let (one, other) = (Adapter("SAME", inPort: 1), Adapter("SAME", inPort: 2))
    try bench.board.plug(one)
    try bench.follow(one)
    bench.session.release()
    try bench.board.unplug(one)
    try bench.board.plug(other)
    one.port = 3
    try bench.board.plug(one)
    try bench.settle()
    #expect(bench.reports.isEmpty, "nobody is asked about what others use")
    bench.session.takeBack()
    let (first, second) = (try #require(one.device), try #require(other.device))
    #expect(bench.reports.count == 1)
    #expect(Set(bench.reconnector?.candidates ?? []) == [first, second])
    try bench.board.unplug(other)
    try bench.settle()
    #expect(!bench.session.state.isOpen)
    #expect(bench.reconnector?.candidates == [first])
    bench.reconnector?.choose(first)
    #expect(isOn(one, bench))
  }

  @Test func linkThatLeadsToATwin_isNotMistaken() throws {
    let bench = try Bench()
    let folder = try TemporaryFolder()
    let link = folder("by-id")
    let (ours, twin) = (Adapter("SAME", inPort: 1), Adapter("SAME", inPort: 2))
    try bench.board.plug(ours)
    _ = try bench.devices.current()
    try point(link, to: ours)
    try bench.bind(to: .path(PathBinding(link))) { try bench.session.open(.tty(link)) }
    // Like udev: the link leads to the adapter that was plugged in last, and the event follows.
    try bench.board.plug(twin)
    try point(link, to: twin)
    try bench.settle()
    try expectReturnToOurs(ours, bench)
    // Unplugging the twin does not end the session.
    try bench.board.unplug(twin)
    try bench.settle()
    #expect(isOn(ours, bench))
  }

  private func point(_ link: FilePath, to adapter: Adapter) throws {
    let node = try #require(adapter.device?.node)
    _ = link.withPlatformString { unlink($0) }
    try systemCall {
      node.withPlatformString { node in link.withPlatformString { symlink(node, $0) } }
    }
  }

  // MARK: Other programs that use the port

  @Test func releasedSession_notesWhereItsDeviceIs() throws {
    let bench = try Bench()
    let ours = Adapter("OURS1", inPort: 1)
    try bench.board.plug(ours)
    try bench.follow(ours)
    bench.session.release()
    try bench.board.unplug(ours)
    try bench.board.plug(ours)
    try bench.settle()
    let node = try #require(ours.device?.node)
    #expect(bench.session.state == .released(.tty(node)))
    bench.session.takeBack()
    #expect(isOn(ours, bench))
  }

  @Test(arguments: [true, false])
  func deviceThatWentWhileReleased_isWaitedFor_onlyByASessionThatWaits(waits: Bool) throws {
    let bench = try Bench(waitsForLostDevice: waits)
    let ours = Adapter("OURS1", inPort: 1)
    try bench.board.plug(ours)
    try bench.follow(ours)
    bench.session.release()
    try bench.board.unplug(ours)
    try bench.settle()
    bench.session.takeBack()
    switch bench.session.state {
    case .waitingForDevice(_, .released): #expect(waits)
    case .closed(.lost): #expect(!waits)
    default: Issue.record("\(bench.session.state)")
    }
  }

  @Test func heldPort_isTakenAsSoonAsItIsFree() throws {
    let bench = try Bench()
    let ours = Adapter("OURS1", inPort: 1)
    try bench.board.plug(ours)
    try bench.follow(ours)
    try bench.board.unplug(ours)
    try bench.settle()
    let holder = try plugHeld(ours, bench)
    #expect(try bench.wait(until: { !bench.reports.isEmpty }))
    guard case .held(let error)? = bench.reports.first else {
      Issue.record("\(bench.reports)")
      return
    }
    #expect(error.code == .busy)
    let attempts = bench.received.states.count { if case .opening = $0 { true } else { false } }
    #expect(attempts <= 6, "the port is not polled")
    // The close causes an event, and no attempt by time is needed.
    bench.hasTimers = false
    try holder.close()
    #expect(try bench.wait(until: { isOn(ours, bench) }))
    #expect(bench.reports.count == 1)
  }

  @Test func portThatIsHeldAgain_whenItReturns_isReportedAgain() throws {
    let bench = try Bench()
    let ours = Adapter("OURS1", inPort: 1)
    try bench.board.plug(ours)
    try bench.follow(ours)
    try bench.board.unplug(ours)
    try bench.settle()
    for count in 1...2 {
      let holder = try plugHeld(ours, bench)
      let isTold = try bench.wait(
        until: {
          bench.reports.count { if case .held = $0 { true } else { false } } == count
        })
      #expect(isTold, "return \(count)")
      try bench.board.unplug(ours)
      try bench.settle()
      try holder.close()
    }
  }

  // MARK: Bindings by description

  @Test func next_isTheFirstThatComes_andThenTheSameOne() throws {
    let bench = try Bench()
    let (before, ours, later) = (
      Adapter("OLD", inPort: 1), Adapter("NEW", inPort: 2), Adapter("LATER", inPort: 3)
    )
    try bench.board.plug(before)
    _ = try bench.devices.current()
    try bench.bind(to: .next(after: bench.devices.devices)) {
      try bench.session.waitForDevice(at: Endpoint(.unresolved, "new"))
    }
    try bench.settle()
    #expect(!bench.session.state.isOpen)
    try bench.board.plug(ours)
    try bench.board.plug(later)
    try bench.settle()
    #expect(isOn(ours, bench))
    try bench.board.unplug(ours)
    try bench.board.plug(Adapter("OTHER", inPort: 4))
    try bench.settle()
    #expect(!bench.session.state.isOpen)
  }

  @Test func selector_thatFitsSeveral_isAskedAbout() throws {
    let bench = try Bench()
    try bench.board.plug(Adapter("A1", inPort: 1))
    try bench.board.plug(Adapter("A2", inPort: 2))
    _ = try bench.devices.current()
    try bench.bind(to: .selector(.usb(vendorID: 0x0403, productID: 0x6001))) {
      try bench.session.waitForDevice(at: Endpoint(.unresolved, "usb:0403:6001"))
    }
    #expect(bench.reports == [.several(bench.devices.devices)])
    #expect(!bench.session.state.isOpen)
  }

  @Test func place_isAnyDeviceThatIsPluggedInThere() throws {
    let bench = try Bench()
    let one = Adapter("A1", inPort: 1)
    try bench.board.plug(one)
    _ = try bench.devices.current()
    let place = try #require(one.device?.physicalPath)
    try bench.bind(to: .selector(.port(place))) {
      try bench.session.open(.tty(try #require(one.device?.node)))
    }
    try bench.board.unplug(one)
    let other = Adapter("B2", inPort: 1)
    try bench.board.plug(other)
    try bench.settle()
    #expect(isOn(other, bench))
  }
}
