package import DeviceWatch
import Posix
package import SystemPackage

/// The serial ports of a computer that a test controls. It plugs them in and unplugs
/// them, as values.
package final class FakePorts: DeviceSource {
  package let descriptor: FileDescriptor
  private let writer: FileDescriptor
  /// The devices that an enumeration finds.
  package private(set) var present: [Device] = []
  package private(set) var enumerationCount = 0
  /// See ``DeviceSource/reportsEveryChange``.
  package var reportsEveryChange = true
  private var waiting: [DeviceSourceEvent] = []
  private var lastCreationNumber: UInt64 = 0

  package init() throws { (descriptor, writer) = try FileDescriptor.pipe() }

  deinit {
    _ = try? descriptor.close()
    _ = try? writer.close()
  }

  package func enumerate() throws(Errno) -> [Device] {
    enumerationCount += 1
    return present
  }

  package func readEvents() -> [DeviceSourceEvent] {
    var bytes = [UInt8](repeating: 0, count: waiting.count)
    if !waiting.isEmpty { _ = bytes.withUnsafeMutableBytes { try? descriptor.read(into: $0) } }
    defer { waiting = [] }
    return waiting
  }

  /// Plugs an adapter in.
  ///
  /// - Parameters:
  ///   - number: the number of its node.
  ///   - serialNumber: nil for an adapter without one.
  ///   - port: the port of the hub, which identifies the adapter if nothing else does.
  @discardableResult
  package func plug(
    _ number: Int, serialNumber: String? = nil, inPort port: Int, hasHardware: Bool = true
  ) throws -> Device {
    lastCreationNumber += 1
    let place = "/sys/devices/usb1/1-\(port)/1-\(port):1.0"
    let device = Device(
      syspath: "\(place)/ttyUSB/tty/ttyUSB", node: FilePath("/dev/ttyFAKE\(number)"), kind: .usb,
      hasHardware: hasHardware, creationNumber: lastCreationNumber, vendorID: 0x0403,
      productID: 0x6001,
      serialNumber: serialNumber, interfaceNumber: 0,
      physicalPath: "pci-0000:00:14.0-usb-0:\(port):1.0", hardwarePath: place)
    present.append(device)
    if reportsEveryChange { try tell(.added(device)) }
    return device
  }

  package func unplug(_ device: Device) throws {
    present.removeAll { $0.syspath == device.syspath }
    if reportsEveryChange { try tell(.removed(syspath: device.syspath)) }
  }

  /// Sends the event that a device has changed.
  package func change(_ device: Device) throws { try tell(.changed(device)) }

  private func tell(_ event: DeviceSourceEvent) throws {
    waiting.append(event)
    try writer.writeAll([1])
  }
}
