import DeviceWatch
import EventLoop
import SerialCore
import SystemPackage
import TerminalUI

/// Lets the user choose among the devices that there are, as they come and go.
final class DeviceChooser: DeviceObserver {
  /// What was chosen; nil while nothing is.
  private(set) var target: Target?
  /// Whether the user wants none of them.
  private(set) var isCancelled = false

  private let query: DeviceQuery
  private let devices: DeviceWatcher
  private let dialogs: Dialogs
  private let loop: EventLoop
  private var watch: DescriptorWatch?
  private var choices: [Choice<String>] = []
  private var isLookDue = false

  /// Starts to look at devices; nothing is asked before ``ask()``.
  ///
  /// - Throws: what epoll_ctl(2) says.
  init(
    for query: DeviceQuery, among devices: DeviceWatcher, on dialogs: Dialogs, loop: EventLoop
  ) throws(Errno) {
    self.query = query
    self.devices = devices
    self.dialogs = dialogs
    self.loop = loop
    watch = try loop.watch(devices.descriptor, for: .reading) { [devices] _ in
      devices.handleReadable()
    }
    devices.addObserver(self)
    look()
  }

  /// Whether there is something to be asked still.
  var isUndecided: Bool { target == nil && !isCancelled }

  /// Whether there is no device to choose now.
  var isWithoutDevices: Bool { query.candidates(among: devices.devices).isEmpty }

  /// Asks, unless it does already.
  func ask() {
    guard !dialogs.isOpen else { return }
    dialogs.ask(
      Question(
        title: "device", choices: { [unowned self] _ in choices },
        onAnswer: { [unowned self] in target = try? Target(parsing: $0) },
        onCancel: { [unowned self] in isCancelled = true }))
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) { devicesChanged() }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) { devicesChanged() }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {
    devicesChanged()
  }

  /// Looks once a turn: a hub brings many devices at once, and who has which is asked of every
  /// process.
  private func devicesChanged() {
    guard !isLookDue else { return }
    isLookDue = true
    loop.atEndOfTurn { [weak self] in self?.look() }
  }

  private func look() {
    isLookDue = false
    choices = Self.choices(query.candidates(among: devices.devices))
    dialogs.refresh()
  }

  /// Those devices to choose from, as they are now.
  static func choices(_ devices: [Device]) -> [Choice<String>] {
    let holders = devices.isEmpty ? nil : PortHolders()
    return choices(devices) { (NodeAccess.of($0.node), holders?[$0.node]) }
  }

  /// The devices to choose from; the simulation where there are none.
  ///
  /// - Parameter facts: whether a device may be opened, and who has it.
  static func choices(
    _ devices: [Device], facts: (Device) -> (NodeAccess, PortHolder?)
  ) -> [Choice<String>] {
    guard !devices.isEmpty else {
      return [
        Choice(
          id: "loopback:board", label: "loopback:board",
          title: "a simulated board, which needs no hardware")
      ]
    }
    return devices.map { device in
      let (access, holder) = facts(device)
      return Choice(
        id: device.node.string, label: device.node.string, title: device.summary,
        detail: holder.map { "held by pid \($0.pid) (\($0.command.harmless))" } ?? "",
        refusal: access.refusal)
    }
  }
}

extension NodeAccess {
  /// Why a node cannot be opened, in a few words.
  fileprivate var refusal: String? {
    switch self {
    case .accessible: nil
    case .denied:
      "permission denied" + (admittedGroup.map { ": you are not in group \($0)" } ?? "")
    case .missing: "gone"
    }
  }
}
