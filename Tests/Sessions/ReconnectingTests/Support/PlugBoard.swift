import DeviceWatch
import EventLoop
import Glibc
import Loopback
import Observing
import Posix
import SerialCore
import SystemPackage
import Time

@testable import Reconnecting

/// A computer into which a test plugs adapters. Their nodes are pseudo-terminals. A pipe replaces
/// the events of udev.
final class PlugBoard: DeviceSource {
  let descriptor: FileDescriptor
  private let writer: FileDescriptor
  private var present: [Device] = []
  private var waiting: [DeviceSourceEvent] = []
  private var count: UInt64 = 0

  init() throws {
    (descriptor, writer) = try FileDescriptor.pipe()
  }

  deinit {
    _ = try? descriptor.close()
    _ = try? writer.close()
  }

  func enumerate() throws(Errno) -> [Device] { present }

  func readEvents() -> [DeviceSourceEvent] {
    var bytes = [UInt8](repeating: 0, count: waiting.count)
    if !waiting.isEmpty { _ = bytes.withUnsafeMutableBytes { try? descriptor.read(into: $0) } }
    defer { waiting = [] }
    return waiting
  }

  private func tell(_ event: DeviceSourceEvent) throws {
    waiting.append(event)
    try writer.writeAll([1])
  }

  /// An adapter, which is also its own far end.
  final class Adapter {
    let serialNumber: String?
    /// The position where it is plugged in, as the number of a hub's port.
    var port: Int
    fileprivate(set) var terminal: PseudoTerminal?
    fileprivate(set) var device: Device?
    /// Keeps the number of the terminal in use after the adapter was unplugged, so that another
    /// test cannot get its node.
    fileprivate var hold: OwnedDescriptor?

    init(_ serialNumber: String?, inPort port: Int) {
      self.serialNumber = serialNumber
      self.port = port
    }

    func say(_ text: String) throws {
      var bytes = Array(text.utf8)
      _ = try bytes.withUnsafeMutableBytes { try terminal?.write(UnsafeRawBufferPointer($0)) }
    }

    var heard: String {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let outcome = bytes.withUnsafeMutableBytes { try? terminal?.read(into: $0) }
      guard case .bytes(let count)? = outcome else { return "" }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Plugs an adapter in. It may send bytes before its event is read.
  func plug(_ adapter: Adapter, saying words: String = "") throws {
    let terminal = try PseudoTerminal()
    adapter.terminal = terminal
    adapter.hold = try OwnedDescriptor.open(terminal.path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    try adapter.say(words)
    count += 1
    let place = "/sys/devices/usb1/1-\(adapter.port)/1-\(adapter.port):1.0"
    let device = Device(
      syspath: "\(place)/ttyUSB/tty/ttyUSB", node: terminal.path, kind: .usb, creationNumber: count,
      vendorID: 0x0403, productID: 0x6001, serialNumber: adapter.serialNumber, interfaceNumber: 0,
      physicalPath: "pci-0000:00:14.0-usb-0:\(adapter.port):1.0", hardwarePath: place)
    adapter.device = device
    present.append(device)
    try tell(.added(device))
  }

  func unplug(_ adapter: Adapter) throws {
    guard let device = adapter.device else { return }
    adapter.terminal?.hangUp()
    adapter.terminal = nil
    adapter.device = nil
    present.removeAll { $0.syspath == device.syspath }
    try tell(.removed(syspath: device.syspath))
  }
}

/// A session on a board, as in the program but without a user.
final class Bench {
  let loop: IOLoop
  let board: PlugBoard
  let session: Session
  let devices: DeviceCatalog
  private let driver: SessionDriver
  private(set) var reconnector: Reconnector?
  private(set) var reports: [Reconnector.Report] = []
  /// Whether the reconnector's timers do something: without them, only an event can.
  var hasTimers = true
  let received = Received()

  /// The received text, and the states of the session.
  final class Received {
    var text = ""
    var states: [SessionState] = []
    private var observations: [ObservationToken<SessionEvent>] = []

    func follow(_ session: Session) {
      observations = [
        session.observe(.received) { [unowned self] in
          text += String(decoding: $0, as: UTF8.self)
        },
        session.observe(.stateChange) { [unowned self] in states.append($0.new) },
      ]
    }
  }

  init(waitsForLostDevice: Bool = true) throws {
    loop = try IOLoop()
    board = try PlugBoard()
    session = Session(settings: LineSettings(), waitsForLostDevice: waitsForLostDevice)
    driver = SessionDriver(session, on: loop)
    received.follow(session)
    devices = DeviceCatalog { [board] () throws(Errno) in board }
    _ = try devices.current()
  }

  /// Opens an adapter that is plugged in, and reconnects to it from then on.
  func follow(_ adapter: PlugBoard.Adapter) throws {
    try settle()
    guard let device = adapter.device else { return }
    let present = try devices.current()
    try bind(to: .identity(IdentityMatcher(for: device, among: present))) {
      try session.open(.tty(device.node))
    }
  }

  func bind(to binding: DeviceBinding, _ begin: () throws -> Void) throws {
    let presence = DevicePresence(of: binding, among: devices, on: loop)
    let scheduler = Scheduler(
      now: { [loop] in loop.now },
      schedule: { [unowned self] delay, work in
        loop.schedule(after: delay) { [unowned self] in if hasTimers { work() } }
      })
    let reconnector = Reconnector(
      session, to: presence, on: scheduler, onReport: { [unowned self] in reports.append($0) })
    self.reconnector = reconnector
    try begin()
    try reconnector.start()
  }

  /// Runs the turns of the loop that are due.
  func settle() throws {
    for _ in 0..<4 { try loop.turn(waitingAtMost: .zero) }
  }

  /// Runs the loop until a condition is met, or until a deadline.
  func wait(until condition: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    while !condition() {
      guard MonotonicTime.now < deadline else { return false }
      try loop.turn(waitingAtMost: .milliseconds(20))
    }
    return true
  }
}
