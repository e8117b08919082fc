import DeviceWatch
import EventLoop
import SessionKit
import SystemPackage

/// The devices that are present, without those that have no hardware behind them.
final class DeviceList: DeviceObserver {
  private(set) var devices: [Device] = []
  private let onChange: () -> Void

  /// - Parameter onChange: called when the list has changed.
  init(onChange: @escaping () -> Void) { self.onChange = onChange }

  /// Follows the devices of the machine from now on.
  ///
  /// - Throws: the errors of the device source and of epoll_ctl(2).
  func follow(_ catalog: DeviceCatalog, on loop: IOLoop) throws(Errno) {
    try catalog.addObserver(self, on: loop)
    update(catalog.devices)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    update(watcher.devices)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    update(watcher.devices)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {
    update(watcher.devices)
  }

  private func update(_ present: [Device]) {
    let new = present.filter(\.hasHardware)
    guard new != devices else { return }
    devices = new
    onChange()
  }
}
