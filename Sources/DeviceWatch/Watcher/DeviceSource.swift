public import SystemPackage

/// The source of the devices and events of a ``DeviceWatcher``: the interface between it and the system.
///
/// A source listens from its creation. An enumeration after that misses nothing: a change in the meantime is
/// in the list, among the events, or in both.
public protocol DeviceSource: AnyObject {
  /// Readable while events are waiting; borrowed. Watch it level-triggered, because ``readEvents()`` may leave
  /// some for the next call.
  var descriptor: FileDescriptor { get }

  /// The present ports, in any order.
  ///
  /// - Throws: the error of the system, usually `ENOMEM`.
  func enumerate() throws(Errno) -> [Device]

  /// Reads events that are waiting, oldest first; does not block.
  func readEvents() -> [DeviceSourceEvent]
}

/// An event of a source.
public enum DeviceSourceEvent: Hashable, Sendable {
  /// A device is present.
  case added(Device)
  /// A device has changed according to the system; the change may not be visible.
  case changed(Device)
  /// A device was moved in sysfs; it was present all the time.
  case moved(Device, from: String)
  /// A device is gone.
  case removed(syspath: String)
  /// Events were lost. All waiting events have been read, so that an enumeration now is up to date.
  case overrun
}
