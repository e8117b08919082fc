import DeviceWatch
import PlainText
import SerialCore
import SessionKit

/// The names of the ports on a screen that they share: as short as they can be told apart.
struct PortNames: Hashable {
  let names: [String]

  /// - Parameter configurations: the configurations of the ports, in order.
  init(of configurations: [ConnectConfiguration]) {
    self.init(
      of: configurations.map { ($0.profile, $0.session.target?.text ?? "port") })
  }

  /// - Parameter ports: each port's profile, and its TARGET.
  init(of ports: [(profile: String?, target: String)]) {
    let short = ports.map { $0.profile ?? Self.short($0.target) }
    let long = zip(short, ports).map { name, port in
      short.count { $0 == name } == 1 ? name : Self.short(port.target)
    }
    let whole = zip(long, ports).map { name, port in
      long.count { $0 == name } == 1 ? name : port.target
    }
    var seen: [String: Int] = [:]
    names = whole.map { name in
      seen[name, default: 0] += 1
      return seen[name] == 1 ? name.harmless : "\(name.harmless)#\(seen[name] ?? 0)"
    }
  }

  /// `ttyUSB0` for `/dev/ttyUSB0`, `board` for `./board`.
  private static func short(_ target: String) -> String {
    let isPath = target.hasPrefix("/") || target.hasPrefix("./") || target.hasPrefix("../")
    return isPath ? String(target.split(separator: "/").last ?? "/") : target
  }
}

extension Target {
  /// The target as a user writes it.
  fileprivate var text: String {
    switch self {
    case .endpoint(let endpoint): "\(endpoint)"
    case .device(.fitting(let selector)): "\(selector)"
    case .device(.latest): "latest"
    case .device(.next): "new"
    case .device(.only): "port"
    }
  }
}
