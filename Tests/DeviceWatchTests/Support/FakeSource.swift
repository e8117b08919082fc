import DeviceWatch
import SystemPackage

/// A machine whose devices a test plugs in and out.
final class FakeSource: DeviceSource {
  /// What an enumeration shows.
  var present: [Device] = []
  /// What was heard and is waiting.
  var waiting: [DeviceSourceEvent] = []
  /// What the next enumeration throws.
  var error: Errno?
  /// What happens between an enumeration's end and its return.
  var onEnumerate: () -> Void = {}
  private(set) var enumerationCount = 0

  /// Nobody waits for it in these tests.
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

  // MARK: What happens to devices, with the event that tells of it

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
