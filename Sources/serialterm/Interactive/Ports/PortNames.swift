import DeviceWatch
import SerialCore
import Sessions
import TextTools

/// The names of the ports that share a screen or a program: the shortest ones that are different.
struct PortNames: Hashable {
  let names: [String]

  /// - Parameter configurations: the configurations of the ports, in order.
  init(of configurations: [ConnectConfiguration]) {
    self.init(
      of: configurations.map { ($0.profile.name, $0.session.target?.text ?? "port") })
  }

  /// - Parameter commands: the commands of the ports, in order.
  init(of commands: [any ProfiledCommand]) {
    self.init(of: commands.map { ($0.profile.name, $0.namedTarget?.text ?? "port") })
  }

  /// - Parameter ports: the profile and the TARGET of each port.
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

  /// The short form of a target: `ttyUSB0` for `/dev/ttyUSB0`, `board` for `./board`.
  private static func short(_ target: String) -> String {
    let isPath = target.hasPrefix("/") || target.hasPrefix("./") || target.hasPrefix("../")
    return isPath ? String(target.split(separator: "/").last ?? "/") : target
  }
}

extension Target {
  /// The target in the form that a user types.
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
