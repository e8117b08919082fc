import Observing
import SystemPackage

/// The present devices of a ``DeviceWatcher``. It decides which events of a source are news.
///
/// Each syspath is unique in it. An event that is repeated, or that an enumeration has covered,
/// is not news.
struct DeviceList {
  /// The devices, by their nodes in natural order.
  private(set) var devices: [Device] = []

  /// Records a present device.
  ///
  /// - Returns: nothing if it is known and unchanged; two events if another device with its syspath
  ///   was known, whose removal was missed.
  mutating func add(_ device: Device) -> [DeviceEvent] {
    guard let known = remove(at: device.syspath) else {
      insert(device)
      return [.appeared(device)]
    }
    // The device was gone when it was examined. The event of its removal follows, and the known
    // data are better.
    let isStale = device.creationNumber == nil && known.creationNumber != nil
    insert(isStale ? known : device)
    if isStale || known == device { return [] }
    guard known.creationNumber == device.creationNumber else {
      return [.disappeared(known), .appeared(device)]
    }
    return [.changed(Change(from: known, to: device))]
  }

  /// Records that a device has changed according to the system. This is news even if no
  /// change is visible.
  mutating func change(_ device: Device) -> [DeviceEvent] {
    move(device, from: device.syspath)
  }

  /// Records that a device was moved in sysfs.
  mutating func move(_ device: Device, from syspath: String) -> [DeviceEvent] {
    guard let known = remove(at: syspath) else { return add(device) }
    let displaced = remove(at: device.syspath)
    insert(device)
    return (displaced.map { [.disappeared($0)] } ?? [])
      + [.changed(Change(from: known, to: device))]
  }

  /// Records that a device is gone.
  mutating func remove(syspath: String) -> [DeviceEvent] {
    remove(at: syspath).map { [.disappeared($0)] } ?? []
  }

  /// Replaces the list by the present devices.
  ///
  /// - Returns: the differences: first the devices that are gone, then changed and new ones, so
  ///   that two devices never seem to have the same node.
  mutating func reconcile(with present: [Device]) -> [DeviceEvent] {
    // A device that was unplugged and plugged in again without an event also counts as gone.
    let creationNumbers = Dictionary(
      present.map { ($0.syspath, $0.creationNumber) }, uniquingKeysWith: { _, last in last })
    var events: [DeviceEvent] = []
    for known in devices where creationNumbers[known.syspath] != known.creationNumber {
      events += remove(syspath: known.syspath)
    }
    for device in present.sorted(by: Self.precedes) { events += add(device) }
    return events
  }

  private mutating func insert(_ device: Device) {
    let place = devices.firstIndex { Self.precedes(device, $0) } ?? devices.endIndex
    devices.insert(device, at: place)
  }

  private mutating func remove(at syspath: String) -> Device? {
    devices.firstIndex { $0.syspath == syspath }.map { devices.remove(at: $0) }
  }

  private static func precedes(_ left: Device, _ right: Device) -> Bool {
    left.node == right.node
      ? left.syspath < right.syspath : naturallyPrecedes(left.node.string, right.node.string)
  }
}
