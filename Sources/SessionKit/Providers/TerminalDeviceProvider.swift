package import DeviceWatch
package import EventLoop
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

  /// `ttyUSB0` is a node in /dev, unless the current directory has such a file.
  private static func path(_ text: String) -> FilePath {
    let path = FilePath(text)
    let isBareName = !text.contains("/")
    guard isBareName, (try? path.stat()) == nil else { return path }
    return FilePath("/dev").appending(path.components)
  }

  package func completions(among devices: () -> [Device]) -> [String] {
    devices().filter(\.hasHardware).map(\.node.string)
  }

  package func link(to endpoint: Endpoint, options: LinkOptions) -> any Link {
    TermiosLink(to: endpoint, options: options)
  }

  package func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? {
    endpoint.path.map { DevicePresence(of: .path(PathBinding($0)), among: devices, on: loop) }
  }
}
