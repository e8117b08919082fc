import DeviceWatch
import Observing

/// Records the events, and the watcher's list at the time of each.
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
