import Glibc
import Observing
import SystemPackage
import TestSupport
import Testing
import Time

@testable import DeviceWatch

/// libudev with this computer's kernel. The tests run one at a time, because the kernel sends its
/// events to all listeners.
@Suite(.serialized, .timeLimit(.minutes(30))) struct UdevSourceTests {
  private static let noEvents: Comment = "needs root and virtual consoles to make the kernel speak"
  private static let noUART: Comment = "no UART driver says here what it found"

  // MARK: Enumerating

  @Test func enumerate_findsEveryPort_andNoConsole() throws {
    let found = Set(try UdevSource().enumerate().compactMap(\.node.lastComponent?.string))
    let names = Sysfs.ttyNames
    let hardware = names.filter(Sysfs.hasParent)
    #expect(found.isSuperset(of: hardware))
    #expect(found.isSubset(of: names))
    #expect(found.isDisjoint(with: ["tty", "console", "ptmx", "tty0", "tty1", "tty63"]))
  }

  @Test func enumeratedDevice_isWhole() throws {
    for device in try UdevSource().enumerate() {
      let folder = FilePath(device.syspath)
      #expect(folder.lastComponent == device.node.lastComponent)
      #expect(folder.starts(with: "/sys/devices"))
      #expect(device.creationNumber == (try? folder.stat()).map { UInt64($0.inode.rawValue) })
      let texts = [
        device.driver, device.serialNumber, device.manufacturer, device.product,
        device.physicalPath, device.hardwarePath,
      ]
      #expect(!texts.contains(""), "absent is nil")
    }
  }

  @Test(.enabled(if: Sysfs.ttyNames.contains { Sysfs.uartType($0) != nil }, noUART))
  func uart_hasHardware_ifTheDriverFoundAChip() throws {
    let devices = try UdevSource().enumerate()
    for name in Sysfs.ttyNames {
      guard let type = Sysfs.uartType(name) else { continue }
      let device = try #require(devices.first { $0.node == FilePath("/dev/\(name)") })
      #expect(device.kind == .uart)
      #expect(device.hasHardware == (type != 0))
      #expect(!["port", "ctrl"].contains(device.driver))
    }
  }

  @Test func enumeratingAgain_findsTheSame() throws {
    let source = try UdevSource()
    #expect(Set(try source.enumerate()) == Set(try source.enumerate()))
  }

  // MARK: Listening

  @Test(arguments: [UdevSource.Group.udev, .kernel])
  func source_neverWaits_andItsDescriptorIsNotInherited(group: UdevSource.Group) throws {
    let source = try UdevSource(group: group)
    #expect(fcntl(source.descriptor.rawValue, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(source.descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    _ = source.readEvents()
  }

  @Test func udevIsListenedTo_whereItRuns() {
    let runs = (try? FilePath("/run/udev/control").stat()) != nil
    if !runs { #expect(UdevSource.Group.automatic == .kernel) }
  }

  /// A container may see the socket of the host's udevd, which sends nothing to its network
  /// namespace.
  @Test func udevOfAnotherNetworkNamespace_isNotListenedTo() throws {
    let root = try TemporaryFolder()
    func write(_ text: String, to name: String) throws {
      let file = try FileDescriptor.open(
        root(name), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
      _ = try file.closeAfter { try file.writeAll(text.utf8) }
    }
    let folder = root.path
    #expect(UdevSource.Group.automatic(below: folder) == .kernel)
    for name in ["run", "run/udev", "proc", "proc/net"] { try root.makeFolder(name) }
    try write("", to: "run/udev/control")
    #expect(UdevSource.Group.automatic(below: folder) == .udev, "without /proc")
    let header = "Num       RefCount Protocol Flags    Type St Inode Path\n"
    let socket = "00000000: 00000002 00000000 00010000 0005 01 15338 "
    for (path, group) in [
      ("/run/udev/control", UdevSource.Group.udev), ("/run/udev/control2", .kernel),
      ("/x/run/udev/control", .kernel),
    ] {
      try write("\(header)\(socket)/run/other\n\(socket)\(path)\n", to: "proc/net/unix")
      #expect(UdevSource.Group.automatic(below: folder) == group, "\(path)")
    }
  }

  /// A source that treats virtual consoles as ports, and listens to the kernel directly.
  private func source(
    of names: Set<String>, receiveBufferSize: Int = UdevSource.defaultReceiveBufferSize,
    batchSize: Int = UdevSource.defaultBatchSize
  ) throws -> UdevSource {
    try UdevSource(
      group: .kernel, receiveBufferSize: receiveBufferSize, batchSize: batchSize,
      including: names.contains)
  }

  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents))
  func eventOfTheKernel_isReported_alsoFromBeforeTheEnumeration() throws {
    let source = try source(of: ["tty10"])
    try Sysfs.makeEvent(of: "tty10")
    let device = try #require(try source.enumerate().first)
    #expect(device.node == "/dev/tty10")
    var events: [DeviceSourceEvent] = []
    handle(
      source.descriptor, with: { events += source.readEvents() }, until: { !events.isEmpty })
    #expect(events == [.changed(device)])
  }

  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents))
  func eventOfAnotherDevice_isNotReported() throws {
    let source = try source(of: ["tty11"])
    try Sysfs.makeEvent(of: "tty10")
    try Sysfs.makeEvent(of: "tty11")
    var events: [DeviceSourceEvent] = []
    handle(
      source.descriptor, with: { events += source.readEvents() }, until: { !events.isEmpty })
    #expect(events.count == 1)
    guard case .changed(let device)? = events.first else { return #expect(Bool(false)) }
    #expect(device.node == "/dev/tty11")
  }

  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents))
  func everyEventOfAStorm_isReportedOnce_ifThereIsRoom() throws {
    let source = try source(of: ["tty10"])
    for _ in 0..<700 { try Sysfs.makeEvent(of: "tty10") }
    var batches: [[DeviceSourceEvent]] = []
    handle(
      source.descriptor, with: { batches.append(source.readEvents()) },
      until: { batches.joined().count >= 700 })
    #expect(batches.joined().count == 700)
    #expect(!batches.joined().contains(.overrun))
    #expect(batches.allSatisfy { $0.count <= 256 }, "so that nobody else has to wait for long")
  }

  /// With a batch size of one, the last queued event is also the last of a batch.
  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents), arguments: [1, UdevSource.defaultBatchSize])
  func overrun_isReported_afterAllKeptEvents_andLaterEventsAreReported(batchSize: Int) throws {
    let source = try source(of: ["tty10"], receiveBufferSize: 4_096, batchSize: batchSize)
    for _ in 0..<200 { try Sysfs.makeEvent(of: "tty10") }
    var events: [DeviceSourceEvent] = []
    handle(
      source.descriptor, with: { events += source.readEvents() },
      until: { events.contains(.overrun) })
    #expect(events.count < 200, "most of them are lost")
    #expect(events.filter { $0 == .overrun }.count == 1)
    #expect(events.last == .overrun)

    // The kernel silently drops further events until all queued ones were read.
    events = []
    try Sysfs.makeEvent(of: "tty10")
    handle(
      source.descriptor, with: { events += source.readEvents() }, until: { !events.isEmpty })
    #expect(events.count == 1)
  }

  /// An event before, during and after the enumeration, a thousand times; a hundred in each run.
  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents))
  func eventAtAnyMomentOfTheStart_isReported_aThousandTimes() throws {
    let consoles = ["tty41", "tty42", "tty43"]
    var missed = 0
    let count = repetitions(1_000)
    for _ in 0..<count {
      var isEnumerating = false
      let source = try UdevSource(group: .kernel, receiveBufferSize: 65_536) { name in
        if isEnumerating && name == consoles[1] { try? Sysfs.makeEvent(of: name) }
        return consoles.contains(name)
      }
      let watcher = DeviceWatcher(source: source)
      let recorder = DeviceRecorder()
      watcher.addObserver(recorder)
      try Sysfs.makeEvent(of: consoles[0])
      isEnumerating = true
      try watcher.startIfNeeded()
      isEnumerating = false
      try Sysfs.makeEvent(of: consoles[2])
      // The kernel sends events within the system call, so they are already queued.
      watcher.handleReadable()
      try #require(watcher.devices.count == consoles.count)
      let heard = Set(recorder.heard.compactMap { $0.change?.new.node.lastComponent?.string })
      missed += consoles.count { !heard.contains($0) }
    }
    Figures.record(
      row: 16, "events missed of 3,000, before, during and after the enumeration", [Double(missed)],
      unit: "")
    #expect(missed == 0)
  }

  /// Ten thousand events, most of them lost, while the devices change; a thousand in each run.
  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents), arguments: [0, 100])
  func listIsRight_afterEventsWereLost(eventsPerRead: Int) throws {
    var names: Set<String> = ["tty44", "tty45"]
    let source = try UdevSource(group: .kernel, receiveBufferSize: 4_096) { names.contains($0) }
    let watcher = DeviceWatcher(source: source)
    let recorder = DeviceRecorder()
    watcher.addObserver(recorder)
    try watcher.startIfNeeded()
    let count = repetitions(10_000)
    for index in 1...count {
      try Sysfs.makeEvent(of: "tty44")
      if eventsPerRead > 0 && index % eventsPerRead == 0 { watcher.handleReadable() }
      // Simulates one device that was unplugged and others that were plugged in, with lost events.
      if index == count * 9 / 10 { names = ["tty44", "tty46", "tty47"] }
    }
    let expected: [FilePath] = ["/dev/tty44", "/dev/tty46", "/dev/tty47"]
    let start = MonotonicTime.now
    handle(
      watcher.descriptor, with: watcher.handleReadable,
      until: { watcher.devices.map(\.node) == expected })
    let duration = MonotonicTime.now - start
    Figures.record(
      row: 17, "10,000 events and a queue of 4 KiB: to the right list",
      [Double(duration.nanoseconds) / 1e6], unit: "ms", atMost: 1_000)
    let news = recorder.heard.filter { $0.change == nil }
    #expect(news.compactMap(\.disappearance?.node) == ["/dev/tty45"])
    #expect(news.compactMap(\.appearance?.node) == ["/dev/tty46", "/dev/tty47"])
    // The source continues to listen.
    let heardBefore = recorder.heard.count
    try Sysfs.makeEvent(of: "tty46")
    handle(
      watcher.descriptor, with: watcher.handleReadable,
      until: {
        recorder.heard.dropFirst(heardBefore).contains { $0.change?.new.node == "/dev/tty46" }
      }
    )
  }

  @Test(.enabled(if: Sysfs.canMakeEvents, noEvents))
  func watcher_isUpToDateAfterAnOverrun() throws {
    var names: Set<String> = ["tty10"]
    let source = try UdevSource(group: .kernel, receiveBufferSize: 4_096) { names.contains($0) }
    let watcher = DeviceWatcher(source: source)
    let recorder = DeviceRecorder()
    watcher.addObserver(recorder)
    try watcher.startIfNeeded()
    for _ in 0..<200 { try Sysfs.makeEvent(of: "tty10") }
    // Simulates devices that were unplugged and plugged in again, with lost events.
    names = ["tty11", "tty12"]
    handle(
      watcher.descriptor, with: watcher.handleReadable, until: { watcher.devices.count == 2 })
    #expect(watcher.devices.map(\.node) == ["/dev/tty11", "/dev/tty12"])
    let news = recorder.heard.filter { $0.change == nil }
    #expect(news.compactMap(\.disappearance?.node) == ["/dev/tty10"])
    #expect(news.compactMap(\.appearance?.node) == ["/dev/tty11", "/dev/tty12"])
    #expect(news.count == 3)
  }
}
