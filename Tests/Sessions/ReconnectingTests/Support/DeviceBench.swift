import DeviceWatch
import EventLoop
import SerialCore
import SystemPackage
import TestSupport
import Time

@testable import Reconnecting

/// A session with ports that a test plugs in and links that it controls. Its clock does not run, so
/// everything that happens is caused by an event.
final class DeviceBench {
  let loop: IOLoop
  let devices: DeviceCatalog
  let clock = ManualClock()
  let session: Session
  private(set) var reconnector: Reconnector?
  private(set) var reports: [Reconnector.Report] = []
  private let links = Links()

  private final class Links {
    var last: FakeLink?
    var refusal: SerialError.Code?
    var count = 0
  }

  /// - Parameters:
  ///   - devices: the catalog, which several benches may share together with its loop.
  init(_ devices: DeviceCatalog, on loop: IOLoop) {
    self.devices = devices
    self.loop = loop
    session = Session(settings: LineSettings()) { [links] in
      let link = FakeLink(to: $0)
      link.refusal = links.refusal
      links.last = link
      links.count += 1
      return link
    }
  }

  /// The error of opening the next links; nil if they open.
  var refusal: SerialError.Code? {
    get { links.refusal }
    set { links.refusal = newValue }
  }

  var attemptCount: Int { links.count }

  /// The node of the open port.
  var node: FilePath? { session.state.isOpen ? session.state.endpoint?.path : nil }

  /// Opens a path, or waits for it if the path is nil, and reconnects from then on.
  func follow(_ binding: DeviceBinding, at path: FilePath?) throws {
    let presence = DevicePresence(of: binding, among: devices, on: loop)
    let reconnector = Reconnector(
      session, to: presence, on: clock.scheduler, onReport: { [unowned self] in reports.append($0) }
    )
    self.reconnector = reconnector
    if let path {
      try session.open(.tty(path))
    } else {
      try session.waitForDevice(at: Endpoint(.unresolved, "it"))
    }
    try reconnector.start()
  }

  /// Opens a device, and recognises it by its identity from then on.
  func follow(_ device: Device) throws {
    let matcher = IdentityMatcher(for: device, among: try devices.current())
    try follow(.identity(matcher), at: device.node)
  }

  /// Unplugs the device. The link detects this first.
  func loseLink() {
    guard session.state.isOpen, let endpoint = session.state.endpoint else { return }
    links.last?.tell(.lost(SerialError(.lost, in: "read", at: endpoint)))
  }

  func settle() throws { for _ in 0..<4 { try loop.turn(waitingAtMost: .zero) } }

  func wait(until condition: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    while !condition() {
      guard MonotonicTime.now < deadline else { return false }
      try loop.turn(waitingAtMost: .milliseconds(20))
    }
    return true
  }
}
