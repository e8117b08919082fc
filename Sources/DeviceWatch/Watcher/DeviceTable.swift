import Observing
import SystemPackage

/// The devices that are there, and what of what a source says is news: the bookkeeping of a
/// ``DeviceWatcher``.
///
/// No two devices in it share a syspath. An event may come twice, or tell what an enumeration has
/// shown already; that is no news.
struct DeviceTable {
  /// The devices, by their nodes in natural order.
  private(set) var devices: [Device] = []

  /// A device is there.
  ///
  /// - Returns: nothing if it is known and as it was; two events if another device was known there,
  ///   whose going was missed.
  mutating func add(_ device: Device) -> [DeviceEvent] {
    guard let known = remove(at: device.syspath) else {
      insert(device)
      return [.appeared(device)]
    }
    // It was gone when it was looked at: its going is on the way, and what is known tells more.
    let isStale = device.incarnation == nil && known.incarnation != nil
    insert(isStale ? known : device)
    if isStale || known == device { return [] }
    guard known.incarnation == device.incarnation else {
      return [.disappeared(known), .appeared(device)]
    }
    return [.changed(Change(from: known, to: device))]
  }

  /// The system says that a device changed, which is news even if nothing of it shows.
  mutating func change(_ device: Device) -> [DeviceEvent] {
    move(device, from: device.syspath)
  }

  /// A device is at another place in sysfs.
  mutating func move(_ device: Device, from syspath: String) -> [DeviceEvent] {
    guard let known = remove(at: syspath) else { return add(device) }
    let displaced = remove(at: device.syspath)
    insert(device)
    return (displaced.map { [.disappeared($0)] } ?? [])
      + [.changed(Change(from: known, to: device))]
  }

  /// A device is gone.
  mutating func remove(syspath: String) -> [DeviceEvent] {
    remove(at: syspath).map { [.disappeared($0)] } ?? []
  }

  /// These devices are there, and no others.
  ///
  /// - Returns: the differences: first what is gone, then what changed and what is new, so that at
  ///   no time two devices seem to have one node.
  mutating func reconcile(with present: [Device]) -> [DeviceEvent] {
    // A device that was taken out and put back unnoticed is gone, too.
    let incarnations = Dictionary(
      present.map { ($0.syspath, $0.incarnation) }, uniquingKeysWith: { _, last in last })
    var events: [DeviceEvent] = []
    for known in devices where incarnations[known.syspath] != known.incarnation {
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
