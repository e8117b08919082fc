import DeviceWatch
import EventLoop
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Prints the devices and their changes until a count, a deadline or a signal.
final class MonitorController: DeviceObserver {
  /// The output format of events.
  enum Format {
    case table, json
  }

  private let format: Format
  private let includesAll: Bool
  private let count: Int?
  private let deadline: Duration?
  private let loop: IOLoop
  private let output: OutputChannel
  private let devices: DeviceCatalog
  /// Held while standard output is crowded. The kernel keeps the events meanwhile.
  private var pause: DeviceCatalog.Pause?
  private var holders: PortHolders?
  /// Whether each device was accessible when it was last printed, by its path in sysfs.
  private var wasAccessible: [String: Bool] = [:]
  private var seen = 0
  private var outcome: Result<ExitStatus, Failure>?

  /// Creates a monitor. It prints nothing yet.
  ///
  /// - Throws: the errors of the loop.
  init(
    _ devices: DeviceCatalog, format: Format, includesAll: Bool, count: Int?, deadline: Duration?
  ) throws(Errno) {
    self.devices = devices
    self.format = format
    self.includesAll = includesAll
    self.count = count
    self.deadline = deadline
    loop = try IOLoop()
    output = try OutputChannel(.standardOutput, on: loop, whenFull: .pushBack)
  }

  /// Prints until the count, the deadline, or a signal.
  ///
  /// - Throws: ``Failure``.
  func run() throws -> ExitStatus {
    let signals = try loop.watchSignals(ExitStatus.endingSignals) { [unowned self] in
      finish(.success(.signal($0)))
    }
    let timer = deadline.map {
      loop.schedule(after: $0) { [unowned self] in finish(.success(.done)) }
    }
    let outputEvents = output.events.observe { [unowned self] in
      switch $0 {
      case .gone(let error): finish(.failure(Failure(outputGone: error)))
      case .room: pause = nil
      case .drained: break
      }
    }
    try devices.addObserver(self, on: loop)
    for device in devices.devices { print("present", device) }
    while outcome == nil { try loop.turn() }
    _ = output.finish(within: .milliseconds(200))
    withExtendedLifetime((signals, timer, outputEvents)) {}
    return try outcome!.get()
  }

  private func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  // MARK: Events

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    printEvent("appeared", device)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    printEvent("disappeared", device)
    wasAccessible[device.syspath] = nil
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {
    let changes = DeviceChange.changes(
      from: (old, wasAccessible[old.syspath]), to: (new, NodeAccess.of(new.node) == .accessible))
    printEvent("changed", new, changes)
  }

  private func printEvent(_ event: String, _ device: Device, _ changes: [DeviceChange]? = nil) {
    guard outcome == nil, print(event, device, changes) else { return }
    seen += 1
    if seen == count { finish(.success(.done)) }
  }

  /// - Parameter changes: the changes since the device was last printed; nil if the event is
  ///   not a change.
  /// - Returns: whether to print the device.
  @discardableResult
  private func print(
    _ event: String, _ device: Device, _ changes: [DeviceChange]? = nil
  ) -> Bool {
    guard includesAll || device.hasHardware else { return false }
    wasAccessible[device.syspath] = NodeAccess.of(device.node) == .accessible
    output.write("\(line(event, device, changes))\n")
    // If the kernel runs out of memory for events, the watcher enumerates the devices again.
    if output.isCrowded && pause == nil { pause = devices.pause() }
    return true
  }

  /// The holders of ports. They are looked up once per turn, because a hub brings many
  /// devices at once.
  private var currentHolders: PortHolders {
    if let holders { return holders }
    let present = PortHolders()
    holders = present
    loop.atEndOfTurn { [unowned self] in holders = nil }
    return present
  }

  private func line(_ event: String, _ device: Device, _ changes: [DeviceChange]?) -> String {
    switch format {
    case .json:
      let members: [(String, JSON)] = [
        ("event", .string(event)),
        ("time", .string(Timestamp.now.rfc3339)),
        ("device", device.json(holder: currentHolders[device.node])),
      ]
      return JSON.object(members + (changes.map { [("changes", $0.json)] } ?? [])).description
    case .table:
      let padding = String(repeating: " ", count: max(0, "disappeared".count - event.count))
      let text = "\(Timestamp.now.timeOfDay)  \(event)\(padding)  \(device.node)  \(device.summary)"
      return (changes.map { "\(text)  (\($0.text))" } ?? text).harmless
    }
  }
}
