import DeviceWatch
import SystemPackage

/// A computer whose devices a test plugs in and unplugs.
final class FakeSource: DeviceSource {
  /// The result of an enumeration.
  var present: [Device] = []
  /// The queued events.
  var waiting: [DeviceSourceEvent] = []
  /// The error that the next enumeration throws.
  var error: Errno?
  /// Called between the end of an enumeration and its return.
  var onEnumerate: () -> Void = {}
  private(set) var enumerationCount = 0

  /// The descriptor, which these tests do not poll.
  let descriptor = FileDescriptor(rawValue: -1)

  func enumerate() throws(Errno) -> [Device] {
    enumerationCount += 1
    if let error {
      self.error = nil
      throw error
    }
    defer { onEnumerate() }
    return present
  }

  func readEvents() -> [DeviceSourceEvent] {
    defer { waiting = [] }
    return waiting
  }

  // MARK: Changes of devices, with their events

  func plug(_ device: Device) {
    present.append(device)
    waiting.append(.added(device))
  }

  func change(_ device: Device) {
    present = present.map { $0.syspath == device.syspath ? device : $0 }
    waiting.append(.changed(device))
  }

  func unplug(_ device: Device) {
    present.removeAll { $0.syspath == device.syspath }
    waiting.append(.removed(syspath: device.syspath))
  }
}
