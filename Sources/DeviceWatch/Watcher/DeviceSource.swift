public import SystemPackage

/// Where a ``DeviceWatcher`` hears of devices: the seam between it and the system.
///
/// A source listens from the moment that it is made. Whoever enumerates afterwards therefore misses
/// nothing: what happens meanwhile is in the list, among the events, or in both.
public protocol DeviceSource: AnyObject {
  /// Readable while events are waiting. It stays the source's own; watch it level-triggered, since
  /// ``readEvents()`` may leave some for the next time.
  var descriptor: FileDescriptor { get }

  /// The ports that there are now, in any order.
  ///
  /// - Throws: what the system says, `ENOMEM` as a rule.
  func enumerate() throws(Errno) -> [Device]

  /// Takes events that are waiting, the oldest first; never waits itself.
  func readEvents() -> [DeviceSourceEvent]
}

/// What a source has heard.
public enum DeviceSourceEvent: Hashable, Sendable {
  /// A device is there.
  case added(Device)
  /// The system says that something about a device changed, whether or not it shows.
  case changed(Device)
  /// A device is at another place in sysfs than before; it was there all the time.
  case moved(Device, from: String)
  /// A device is gone.
  case removed(syspath: String)
  /// Events were lost. All that is still waiting has been read, so that whoever enumerates now is
  /// up to date again.
  case overrun
}
