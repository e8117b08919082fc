public import SystemPackage

/// The interface between a ``DeviceWatcher`` and the system: the source of its devices and events.
///
/// A source listens from its creation. A later enumeration misses nothing: a change in the meantime
/// is in the list, among the events, or in both.
public protocol DeviceSource: AnyObject {
  /// Readable while events are queued; borrowed. Watch it level-triggered, because ``readEvents()``
  /// may leave some events for the next call.
  var descriptor: FileDescriptor { get }

  /// The present ports, in any order.
  ///
  /// - Throws: the error of the system, usually `ENOMEM`.
  func enumerate() throws(Errno) -> [Device]

  /// Reads queued events, oldest first. It does not block.
  func readEvents() -> [DeviceSourceEvent]

  /// Whether every change causes an event. Otherwise an owner who waits for a device enumerates
  /// again from time to time; by default every change does.
  var reportsEveryChange: Bool { get }
}

extension DeviceSource {
  public var reportsEveryChange: Bool { true }
}

/// An event of a source.
public enum DeviceSourceEvent: Hashable, Sendable {
  /// A device is present.
  case added(Device)
  /// A device has changed according to the system. The change may not be visible.
  case changed(Device)
  /// A device was moved in sysfs. It was present all the time.
  case moved(Device, from: String)
  /// A device is gone.
  case removed(syspath: String)
  /// Events were lost. All queued events have been read, so that an enumeration now is up to date.
  case overrun
}
