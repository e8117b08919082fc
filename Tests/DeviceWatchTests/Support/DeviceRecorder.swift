import DeviceWatch
import Observing

/// Writes down what it hears, and what the watcher's list was at that time.
final class DeviceRecorder: DeviceObserver {
  private(set) var heard: [DeviceEvent] = []
  private(set) var lists: [[Device]] = []
  var onEvent: (DeviceEvent) -> Void = { _ in }

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    record(.appeared(device), watcher)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    record(.disappeared(device), watcher)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {
    record(.changed(Change(from: old, to: new)), watcher)
  }

  private func record(_ event: DeviceEvent, _ watcher: DeviceWatcher) {
    heard.append(event)
    lists.append(watcher.devices)
    onEvent(event)
  }
}
