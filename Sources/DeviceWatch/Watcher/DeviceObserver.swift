public import Observing

/// Observes the serial ports of this computer.
///
/// All methods are called on the watcher's thread, in the order of the events, after
/// ``DeviceWatcher/devices`` was updated. During a call an observer may use the watcher in any way.
public protocol DeviceObserver: AnyObject {
  /// A device has appeared. Its node may not be accessible yet: udev sets permissions before it
  /// sends the event, but other programs set them later.
  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device)

  /// A device is gone. `device` is its last state.
  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device)

  /// A device has changed according to the kernel. The two values may be equal.
  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device)
}

extension DeviceObserver {
  /// Does nothing.
  public func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {}
}

/// An event of a device as a value, for closures that observe one kind of event.
public enum DeviceEvent: Equatable, Sendable {
  /// See ``DeviceObserver/deviceWatcher(_:didAppear:)``.
  case appeared(Device)
  /// See ``DeviceObserver/deviceWatcher(_:didDisappear:)``.
  case disappeared(Device)
  /// See ``DeviceObserver/deviceWatcher(_:didChange:to:)``.
  case changed(Change<Device>)

  /// The device that appeared; nil for other events.
  public var appearance: Device? {
    if case .appeared(let device) = self { device } else { nil }
  }

  /// The device that disappeared; nil for other events.
  public var disappearance: Device? {
    if case .disappeared(let device) = self { device } else { nil }
  }

  /// The change; nil for other events.
  public var change: Change<Device>? {
    if case .changed(let change) = self { change } else { nil }
  }
}
