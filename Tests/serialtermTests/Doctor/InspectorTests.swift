import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

/// The inspection of an invented computer's files, and the findings from it.
@Suite(.timeLimit(.minutes(30))) struct InspectorTests {
  private static let usb: FilePath = "/sys/devices/pci0/usb1/1-1"
  private static let tty = usb.appending("1-1:1.0/ttyUSB0/tty/ttyUSB0")
  private static let adapter = Device(
    syspath: tty.string, node: "/dev/ttyUSB0", kind: .usb, vendorID: 0x1A86, productID: 0x7523)

  private let tree: MachineTree

  /// A computer with an adapter that has no problems.
  init() throws {
    tree = try MachineTree()
    try tree.write("/run/udev/control", "")
    try tree.write("/proc/consoles", "tty0                 -WU (EC  p  )    4:1\n")
    try tree.write(
      "/proc/tty/drivers", "usbserial /dev/ttyUSB 188 0-511 serial\nmem /dev/n 1 3 x\n")
    try tree.write("/etc/group", "root:x:0:ana,ben\ndialout:x:20:ana\n")
    try tree.write(Self.usb.appending("idVendor"), "1a86\n")
    try tree.write(Self.usb.appending("dev"), "189:4\n")
    try tree.write(Self.usb.appending("power/control"), "on\n")
    try tree.write(Self.tty.appending("dev"), "188:0\n")
    // A character device that every computer has.
    try tree.link("/dev/ttyUSB0", to: "/dev/null")
    try tree.write("/dev/kmsg", "6,1,2,-;Linux version 6.1\n")
  }

  private func findings(
    _ target: Target? = .endpoint(.tty("/dev/ttyUSB0")), devices: [Device] = [adapter],
    isAccessible: Bool = true, holder: PortHolder? = nil
  ) throws -> [Finding] {
    let inspector = Inspector(
      root: tree.root, devices: devices, user: Inspection.User(name: "ana"),
      occupants: { _ in .init(holder: holder) }, isAccessible: { _ in isAccessible })
    let examined = try DiagnosisTarget(target, among: devices)
    return Diagnosis.findings(in: inspector.inspection(of: examined))
  }

  private func codes(_ target: Target? = .endpoint(.tty("/dev/ttyUSB0"))) throws -> [Finding.Code] {
    try findings(target).map(\.code)
  }

  @Test func wellKeptMachine_hasNoFindings() throws { #expect(try codes() == []) }

  @Test func missingNode_isReported() throws {
    try tree.remove("/dev/ttyUSB0")
    let found = try findings()
    #expect(found.map(\.code) == [.noNode])
    #expect(found[0].fixes[0].contains("c 188 0"), "the numbers are those of sysfs")
  }

  @Test func terminalsAreKnown_byTheirDriver() throws {
    try tree.write("/proc/tty/drivers", "usbserial /dev/ttyUSB 188 0-511 serial\n")
    #expect(try codes() == [.notASerialPort])
  }

  @Test(arguments: [("serial", true), ("pty:slave", false)])
  func nodeOfASerialPort_isLeftOver_whenSysfsHasNoSuchDevice(type: String, isLeftOver: Bool) throws
  {
    var inspection: Inspection {
      Inspector(root: tree.root, devices: [], occupants: { _ in .init() })
        .inspection(of: .path("/dev/ttyUSB0", nil))
    }
    // 1:3 is /dev/null, to which the node leads.
    try tree.write("/proc/tty/drivers", "fake /dev/ttyUSB 1 0-7 \(type)\n")
    #expect(!inspection.hasLeftOverNode, "without sysfs nobody knows")
    try tree.write("/sys/dev/char/4:64/dev", "4:64\n")
    #expect(inspection.hasLeftOverNode == isLeftOver)
    #expect(inspection.scope == (isLeftOver ? .missing("/dev/ttyUSB0") : .target))
    try tree.write("/sys/dev/char/1:3/dev", "1:3\n")
    #expect(!inspection.hasLeftOverNode)
  }

  /// The node of the tests belongs to root, and to a group without members.
  @Test func ownerOfANode_isRead() throws {
    let found = try findings(isAccessible: false)
    #expect(found.map(\.code) == [.permissionDenied])
    #expect(found[0].why == "It belongs to root, and no group may use it.")
  }

  @Test func membersOfANodesGroup_areRead() throws {
    try tree.write("/etc/group", "dialout:x:20:ben\nterminals:x:0:eve,ana\n")
    for (user, isListed) in [("ana", true), ("eve", true), ("ben", false), ("an", false)] {
      let inspector = Inspector(
        root: tree.root, devices: [Self.adapter], user: Inspection.User(name: user),
        occupants: { _ in .init() }, isAccessible: { _ in false })
      guard case .present(let node) = inspector.port(Self.adapter).node else {
        Issue.record("no node")
        return
      }
      #expect(node.group == "terminals")
      #expect(node.listsUser == isListed, "\(user)")
    }
  }

  @Test func holder_isNamed() throws {
    let found = try findings(holder: PortHolder(pid: 42, command: "minicom"))
    #expect(found.map(\.what) == ["busy, held by pid 42 (minicom)"])
  }

  @Test func processes_areReadWithTheirArguments() throws {
    try tree.write("/proc/77/comm", "agetty\n")
    try tree.write("/proc/77/cmdline", "/sbin/agetty\0-o\0ttyUSB0\0")
    #expect(try codes() == [.getty])
  }

  /// As systemd starts it: the terminal is its standard input, not an argument.
  @Test(arguments: [(259, [Finding.Code.getty]), (260, []), (0, [])])
  func processes_areReadWithTheirTerminal(number: Int, found: [Finding.Code]) throws {
    try tree.write("/proc/77/comm", "agetty\n")
    try tree.write("/proc/77/cmdline", "/sbin/agetty\0-o\0-p -- \\u\0--keep-baud\09600\0-\0vt220\0")
    // 1:3 is /dev/null, to which the node leads.
    try tree.write("/proc/77/stat", "77 (a) 1 2 (getty) S 1 77 77 \(number) 77 4194560 162 0 0\n")
    #expect(try codes() == found)
  }

  @Test func modemManager_isKeptOff_byMarksOnThePortOrItsUSBDevice() throws {
    try tree.write("/proc/8/comm", "ModemManager\n")
    #expect(try codes() == [.modemManager])
    for record: FilePath in ["/run/udev/data/c188:0", "/run/udev/data/c189:4"] {
      try tree.write(record, "I:123\nE:ID_MM_DEVICE_IGNORE=1\n")
      #expect(try codes() == [])
      try tree.remove(record)
    }
  }

  @Test func consoleOfTheKernel_isRead() throws {
    try tree.write("/proc/consoles", "tty0 -WU\nttyUSB0              -W- (EC  p a)  188:0\n")
    #expect(try codes() == [.kernelConsole])
  }

  @Test func autosuspend_isReadFromTheUSBDevice() throws {
    try tree.write(Self.usb.appending("power/control"), "auto\n")
    #expect(try codes() == [.autosuspend])
  }

  @Test func lockFile_isStale_whenItsProcessIsNoMore() throws {
    try tree.write("/var/lock/LCK..ttyUSB0", "        99\n")
    #expect(try codes() == [.staleLock])
    try tree.write("/proc/99/comm", "cu\n")
    #expect(try codes() == [])
  }

  @Test(.timeLimit(.minutes(30)))
  func lockFile_thatIsNoFile_isNeitherFollowedNorWaitedFor() throws {
    try tree.write("/var/lock/elsewhere", "        99\n")
    try tree.link("/var/lock/LCK..ttyUSB0", to: "elsewhere")
    #expect(try codes() == [.unusableLock])
    try tree.remove("/var/lock/LCK..ttyUSB0")
    try tree.makePipe("/var/lock/LCK..ttyUSB0")
    #expect(try codes() == [.unusableLock])
  }

  @Test(arguments: [
    ("garbage\n", [Finding.Code.unusableLock]), ("\0\0\0\0", [.unusableLock]), ("", [.held]),
  ])
  func lockFile_thatNamesNoProcess_isAFinding(
    text: String, found: [Finding.Code]
  ) throws {
    try tree.write("/var/lock/LCK..ttyUSB0", text)
    #expect(try codes() == found)
  }

  @Test func seat_isReadFromUdevsTags() throws {
    try tree.write("/run/udev/data/c188:0", "I:5\nG:systemd\nG:uaccess\n")
    let inspector = Inspector(
      root: tree.root, devices: [Self.adapter], occupants: { _ in .init() })
    guard case .present(let node) = inspector.port(Self.adapter).node else {
      Issue.record("no node")
      return
    }
    #expect(node.isForSeat)
  }

  @Test func kernelsWords_areThoseOfSerialAdapters() throws {
    try tree.write(
      "/dev/kmsg",
      """
      6,1,2,-;Linux version 6.1
      6,2,3,-;usb 1-1: ch341-uart converter now attached to ttyUSB0
       SUBSYSTEM=usb
      6,3,4,-;usb 1-1: USB disconnect, device number 5

      """)
    let found = try findings(.endpoint(.tty("/dev/ttyUSB1")))
    #expect(found.map(\.code) == [.noSuchDevice])
    #expect(found[0].why.contains("attached to ttyUSB0', 'usb 1-1: USB disconnect"))
    #expect(!found[0].why.contains("Linux"))
  }
}
