import DeviceWatch
import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Reconnecting

@Suite(.timeLimit(.minutes(30))) struct DevicePresenceTests {
  private let loop: IOLoop
  private let ports: FakePorts
  private let catalog: DeviceCatalog

  init() throws {
    loop = try IOLoop()
    let ports = try FakePorts()
    self.ports = ports
    catalog = DeviceCatalog { () throws(Errno) in ports }
  }

  private func bench() -> DeviceBench { DeviceBench(catalog, on: loop) }

  // MARK: What comes back

  /// How the device is recognised.
  private enum Binding: String, CaseIterable {
    /// By a distinctive serial number.
    case number
    /// By its physical port, because it has no serial number.
    case place
    /// By its physical port, because a twin with the same serial number was seen.
    case twin
    /// The user named the physical port.
    case port
    /// The user named the node of a device with a number.
    case node
  }

  /// The device that is plugged in after the loss: its node, its serial number, its port.
  private enum Return: String, CaseIterable {
    case same, elsewhere, stranger, strangerInPlace, lookAlike, lookAlikeInPlace, twins

    func plug(into ports: FakePorts, number: String?) throws {
      switch self {
      case .same: try ports.plug(1, serialNumber: number, inPort: 1)
      case .elsewhere: try ports.plug(7, serialNumber: number, inPort: 7)
      case .stranger: try ports.plug(7, serialNumber: "OTHER7", inPort: 7)
      case .strangerInPlace: try ports.plug(1, serialNumber: "OTHER7", inPort: 1)
      case .lookAlike: try ports.plug(7, inPort: 7)
      case .lookAlikeInPlace: try ports.plug(1, inPort: 1)
      case .twins:
        try ports.plug(7, serialNumber: number, inPort: 7)
        try ports.plug(8, serialNumber: number, inPort: 8)
      }
    }
  }

  /// `yes`: it is opened; `no`: it is not opened; `ask`: the user decides. Of two devices with one
  /// serial number, the first one is opened unless a twin was seen before.
  private static let returns = """
    event            number place twin port node
    same             yes    yes   yes  yes  yes
    elsewhere        yes    ask   ask  no   yes
    stranger         no     no    no   no   no
    strangerInPlace  no     no    no   yes  no
    lookAlike        no     ask   no   no   no
    lookAlikeInPlace no     yes   no   yes  no
    twins            yes    ask   ask  no   yes
    """

  private func outcome(of back: Return, for binding: Binding) throws -> String {
    let ports = try FakePorts()
    let catalog = DeviceCatalog { () throws(Errno) in ports }
    let bench = DeviceBench(catalog, on: try IOLoop())
    let number = binding == .place ? nil : "OURS1"
    let ours = try ports.plug(1, serialNumber: number, inPort: 1)
    let other = try ports.plug(5, serialNumber: binding == .twin ? number : "OTHER5", inPort: 5)
    switch binding {
    case .number, .place, .twin: try bench.follow(ours)
    case .port: try bench.follow(.selector(.port(ours.physicalPath!)), at: ours.node)
    case .node: try bench.follow(.path(PathBinding(ours.node)), at: ours.node)
    }
    if binding == .twin { try ports.unplug(other) }
    try bench.settle()
    try ports.unplug(ours)
    try bench.settle()
    try back.plug(into: ports, number: number)
    try bench.settle()
    if bench.node != nil { return "yes" }
    return bench.reports.isEmpty ? "no" : "ask"
  }

  @Test func deviceThatComesBack_isTaken_leftAlone_orAskedAbout() throws {
    let rows = Self.returns.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(rows.first?.dropFirst().map { Binding(rawValue: $0) } == Binding.allCases)
    #expect(rows.dropFirst().map { Return(rawValue: $0[0]) } == Return.allCases)
    for (row, back) in zip(rows.dropFirst(), Return.allCases) {
      for (expected, binding) in zip(row.dropFirst(), Binding.allCases) {
        #expect(try outcome(of: back, for: binding) == expected, "\(back) for \(binding)")
      }
    }
  }

  // MARK: Events of devices in every state

  private enum Start: String, CaseIterable {
    case open, lost, denied, busy, lent
  }

  private enum Event: String, CaseIterable {
    case oursGoes, oursReturns, oursMoves, oursChanges, strangerComes, strangerGoes
  }

  /// The node of the open port, or the reason why it is not open. A `+` is an attempt to open.
  private static let events = """
    event         open lost denied busy lent
    oursGoes      lost lost denied busy lent:1
    oursReturns   1+   1+   1+     1+   lent:1
    oursMoves     9+   9+   9+     9+   lent:9
    oursChanges   1    lost 1+     1+   lent:1
    strangerComes 1    lost 1+     1+   lent:1
    strangerGoes  1    lost denied busy lent:1
    """

  private func outcome(of event: Event, in start: Start) throws -> String {
    let ports = try FakePorts()
    let catalog = DeviceCatalog { () throws(Errno) in ports }
    let bench = DeviceBench(catalog, on: try IOLoop())
    var ours = try ports.plug(1, serialNumber: "OURS1", inPort: 1)
    let other = try ports.plug(5, serialNumber: "OTHER5", inPort: 5)
    try bench.follow(ours)
    switch start {
    case .open: break
    case .lost:
      try ports.unplug(ours)
      try bench.settle()
    case .denied, .busy:
      try ports.unplug(ours)
      try bench.settle()
      bench.refusal = start == .denied ? .permissionDenied : .busy
      ours = try ports.plug(1, serialNumber: "OURS1", inPort: 1)
      try bench.settle()
    case .lent: bench.session.release()
    }
    bench.refusal = nil
    let attempts = bench.attemptCount
    switch event {
    case .oursGoes: try ports.unplug(ours)
    case .oursReturns:
      try ports.unplug(ours)
      try ports.plug(1, serialNumber: "OURS1", inPort: 1)
    case .oursMoves:
      try ports.unplug(ours)
      try ports.plug(9, serialNumber: "OURS1", inPort: 9)
    case .oursChanges: if start != .lost { try ports.change(ours) }
    case .strangerComes: try ports.plug(6, serialNumber: "OTHER6", inPort: 6)
    case .strangerGoes: try ports.unplug(other)
    }
    try bench.settle()
    let state =
      switch bench.session.state {
      case .open(let endpoint, _): "\(endpoint)"
      case .waitingForDevice(_, .lost): "lost"
      case .waitingForDevice(_, .failed(let error)): "\(error.code)"
      case .released(let endpoint): "lent:\(endpoint)"
      case .closed, .opening, .waitingForDevice: "\(bench.session.state)"
      }
    let name = state.replacing("/dev/ttyFAKE", with: "").replacing(
      "permissionDenied", with: "denied")
    return name + String(repeating: "+", count: bench.attemptCount - attempts)
      + String(repeating: "!", count: bench.reports.count)
  }

  @Test func everyEventOfADevice_inEveryState() throws {
    let rows = Self.events.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(rows.first?.dropFirst().map { Start(rawValue: $0) } == Start.allCases)
    #expect(rows.dropFirst().map { Event(rawValue: $0[0]) } == Event.allCases)
    for (row, event) in zip(rows.dropFirst(), Event.allCases) {
      for (expected, start) in zip(row.dropFirst(), Start.allCases) {
        #expect(try outcome(of: event, in: start) == expected, "\(event) in \(start)")
      }
    }
  }

  // MARK: Several sessions on one catalog

  @Test func adaptersWithoutNumbers_returnEachToItsSession_withoutAQuestion() throws {
    let count = isThorough ? 64 : 16
    let benches = (0..<count).map { _ in bench() }
    var devices = try (0..<count).map { try ports.plug($0, inPort: $0 + 1) }
    for (bench, device) in zip(benches, devices) { try bench.follow(device) }
    for device in devices { try ports.unplug(device) }
    try benches[0].settle()
    #expect(benches.allSatisfy { $0.node == nil })
    // Another order, and other nodes.
    for index in (0..<count).map({ $0 * 37 % count }) {
      devices[index] = try ports.plug(100 + index, inPort: index + 1)
      try benches[0].settle()
    }
    #expect(benches.map(\.node) == devices.map(\.node))
    #expect(benches.allSatisfy { $0.reports.isEmpty })
  }

  @Test func sessionsThatWaitForTheNextDevice_getOneEach_andNotThatOfAnother() throws {
    let (owner, one, other) = (bench(), bench(), bench())
    let present = try ports.plug(0, serialNumber: "OURS", inPort: 1)
    try one.follow(.next(after: try catalog.current()), at: nil)
    try owner.follow(present)
    try other.follow(.next(after: try catalog.current()), at: nil)
    try ports.unplug(present)
    try ports.plug(1, serialNumber: "OURS", inPort: 2)
    try one.settle()
    #expect(owner.node == "/dev/ttyFAKE1")
    #expect(one.node == nil && other.node == nil)
    try ports.plug(2, serialNumber: "A", inPort: 3)
    try ports.plug(3, serialNumber: "B", inPort: 4)
    try one.settle()
    #expect([one.node, other.node] == ["/dev/ttyFAKE2", "/dev/ttyFAKE3"])
    #expect([owner, one, other].allSatisfy { $0.reports.isEmpty })
  }

  @Test func lookAlike_thatNoSessionHas_isAskedAbout_byEachThatLostItsOwn() throws {
    let (one, other) = (bench(), bench())
    let (first, second) = (try ports.plug(1, inPort: 1), try ports.plug(2, inPort: 2))
    try one.follow(first)
    try other.follow(second)
    try ports.unplug(first)
    try one.settle()
    let stranger = try ports.plug(3, inPort: 3)
    try one.settle()
    #expect(one.reports == [.lookAlikes([stranger])])
    #expect(other.reports.isEmpty)
    #expect(other.node == second.node)
  }

  @Test func deviceThatCameBeforeTheSessionObserved_isTheNextOne() throws {
    let bench = bench()
    try ports.plug(1, inPort: 1)
    let binding = DeviceBinding.next(after: try catalog.current())
    try ports.plug(2, inPort: 2, hasHardware: false)
    try ports.plug(3, inPort: 3)
    try bench.follow(binding, at: nil)
    try bench.settle()
    #expect(bench.node == "/dev/ttyFAKE3")
  }

  // MARK: Paths

  private func makeFile(_ path: FilePath) throws {
    try FileDescriptor.open(
      path, .writeOnly, options: [.create], permissions: .ownerReadWrite
    ).close()
  }

  @Test func pathThatAppears_isOpened_withoutATimer() throws {
    let folder = try TemporaryFolder()
    let bench = bench()
    let path = folder("port")
    try bench.follow(.path(PathBinding(path)), at: nil)
    #expect(bench.attemptCount == 0)
    try makeFile(path)
    #expect(try bench.wait(until: { bench.node == path }))
    bench.loseLink()
    #expect(bench.node == path, "the file is still there")
    _ = path.withPlatformString { unlink($0) }
    bench.loseLink()
    #expect(bench.node == nil)
    try makeFile(path)
    #expect(try bench.wait(until: { bench.node == path }))
    #expect(bench.clock.nextDelay == nil)
  }

  @Test func permissionThatIsGranted_isNoticed_withoutATimer() throws {
    let folder = try TemporaryFolder()
    let bench = bench()
    let path = folder("port")
    bench.refusal = .permissionDenied
    try bench.follow(.path(PathBinding(path)), at: nil)
    try makeFile(path)
    #expect(try bench.wait(until: { bench.attemptCount > 0 }))
    bench.refusal = nil
    #expect(bench.node == nil)
    #expect(path.withPlatformString { chmod($0, 0o666) } == 0)
    #expect(try bench.wait(until: { bench.node == path }))
    #expect(bench.reports.isEmpty)
  }

  @Test func portThatBecomesFree_isNoticed_withoutATimer() throws {
    let folder = try TemporaryFolder()
    let bench = bench()
    let path = folder("port")
    try makeFile(path)
    let holder = try FileDescriptor.open(path, .readWrite)
    bench.refusal = .busy
    try bench.follow(.path(PathBinding(path)), at: nil)
    // The holder may have closed the port before the watch began, so it is retried immediately.
    bench.clock.advance(by: .zero)
    #expect(bench.attemptCount == 2)
    bench.refusal = nil
    try holder.close()
    #expect(try bench.wait(until: { bench.node == path }))
  }

  @Test func pathOfADeviceThatUdevKnows_followsTheDevice() throws {
    let bench = bench()
    let ours = try ports.plug(1, serialNumber: "OURS1", inPort: 1)
    try bench.follow(.path(PathBinding(ours.node)), at: ours.node)
    try ports.unplug(ours)
    try bench.settle()
    #expect(bench.node == nil)
    try ports.plug(2, serialNumber: "OURS1", inPort: 2)
    try bench.settle()
    #expect(bench.node == "/dev/ttyFAKE2")
  }

  @Test func withoutUdev_aPathIsFoundAgain() throws {
    let folder = try TemporaryFolder()
    let broken = DeviceCatalog { () throws(Errno) in throw .notPermitted }
    let bench = DeviceBench(broken, on: loop)
    let path = folder("port")
    try bench.follow(.path(PathBinding(path)), at: nil)
    try makeFile(path)
    #expect(try bench.wait(until: { bench.node == path }))
  }
}
