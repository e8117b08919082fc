/// Hears what happened to the serial ports of the machine.
///
/// All are called on the watcher's thread, in the order in which things happened; by then
/// ``DeviceWatcher/devices`` shows it. From inside a call an observer may do anything with the
/// watcher.
public protocol DeviceObserver: AnyObject {
  /// A device is there that was not there before. Its node may not be accessible yet: udev sets
  /// permissions before it tells, others after.
  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device)

  /// A device is gone. This is how it was last known.
  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device)

  /// Something about a device changed, or the kernel says so: then both values may be equal.
  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device)
}

extension DeviceObserver {
  /// Ignores it.
  public func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {}
}
