package import DeviceWatch
package import EventLoop
package import Reconnecting
package import SerialCore
import SystemPackage

/// Terminal devices of this computer: UARTs, USB adapters, pseudo-terminals.
///
/// A target is a node, a link to one, a ``DeviceSelector``, `latest` or `new`.
package struct TerminalDeviceProvider: LinkProvider {
  package init() {}

  package var kind: Endpoint.Kind { .tty }

  package func parse(_ text: String) -> Result<Target, TargetError>? {
    switch text {
    case "latest": return .success(.device(.latest))
    case "new": return .success(.device(.next))
    default: break
    }
    do throws(DeviceSelectorError) {
      if let selector = try DeviceSelector(parsing: text) {
        return .success(.device(.fitting(selector)))
      }
    } catch {
      return .failure(.selector(error))
    }
    return .success(.endpoint(.tty(Self.path(text))))
  }

  /// Completes a name such as `ttyUSB0` to a node in /dev, unless the current directory
  /// contains that file.
  private static func path(_ text: String) -> FilePath {
    let path = FilePath(text)
    let isBareName = !text.contains("/")
    guard isBareName, (try? path.stat()) == nil else { return path }
    return FilePath("/dev").appending(path.components)
  }

  package func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] {
    DeviceQuery.only.choices(among: devices()).flatMap { device in
      Self.names(of: device, all: !text.isEmpty).map { TargetCompletion($0, device) }
    } + ["latest", "new"].map { TargetCompletion($0) }
  }

  /// The targets that name a device: its node, and with `all` also its names below /dev
  /// and its selectors.
  private static func names(of device: Device, all: Bool) -> [String] {
    guard all else { return [device.node.string] }
    let folder = FilePath("/dev")
    let paths = ([device.node] + device.links).filter { $0.removingLastComponent() == folder }
    var selectors: [DeviceSelector] = []
    if let vendorID = device.vendorID, let productID = device.productID {
      selectors.append(.usb(vendorID: vendorID, productID: productID))
      if let serialNumber = device.serialNumber {
        selectors.append(
          .usb(vendorID: vendorID, productID: productID, serialNumber: serialNumber))
        selectors.append(.serial(serialNumber))
      }
    }
    if let place = device.physicalPath { selectors.append(.port(place)) }
    return [device.node.string] + paths.filter { $0 != device.node }.map(\.string)
      + paths.compactMap { $0.lastComponent?.string } + selectors.map { "\($0)" }
  }

  package func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    TermiosLink(to: endpoint, options: options)
  }

  package func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? {
    endpoint.path.map { DevicePresence(of: .path(PathBinding($0)), among: devices, on: loop) }
  }
}
