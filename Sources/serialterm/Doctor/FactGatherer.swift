import DeviceWatch
import Glibc
import Posix
import SerialCore
import SystemPackage

/// Looks around on the machine: reads /proc, /sys, /run and /etc, opens no port, decides nothing.
struct FactGatherer {
  /// Below which /proc, /sys and the rest are.
  var root: FilePath = "/"
  /// What udev or the kernel knows of.
  let devices: [Device]
  /// Who runs this.
  var user = Facts.User.current
  /// Who has a port.
  var holder: (FilePath) -> Facts.Process? = Self.presentHolder()
  /// Whether the user may open a node.
  var isAccessible: (FilePath) -> Bool = { NodeAccess.of($0) == .accessible }

  /// The facts about what a target means, or about all that there is when none is given.
  func facts(about target: Target?) -> Facts {
    var facts = Facts(machine: machine, scope: target == nil ? .machine : .target)
    switch target {
    case nil: facts.ports = devices.filter(\.hasHardware).map(port)
    case .loopback?, .new?: break
    case .latest?:
      if case .one(let device) = DeviceQuery.latest.answer(among: devices) {
        facts.ports = [port(device)]
      } else {
        facts.scope = .missing("latest")
      }
    case .node(let path)?:
      let matches = DeviceSelector.node(path).matches(among: devices)
      facts.hasLeftOverNode = matches.isEmpty && isLeftOver(path)
      if let device = matches.first {
        facts.ports = [port(device)]
      } else if (exists(path) && !facts.hasLeftOverNode) || isClosedOff(path) {
        facts.ports = [bare(path)]
      } else {
        facts.scope = .missing(path.string)
      }
    case .device(let selector)?:
      facts.ports = selector.matches(among: devices).map(port)
      if facts.ports.isEmpty { facts.scope = .missing("\(selector)") }
      if facts.ports.count > 1 { facts.ambiguousTarget = "\(selector)" }
    }
    // A chip without a port may be what is being looked for.
    if facts.scope != .target { facts.strays = strays }
    return facts
  }

  /// The place of a path of the machine; a relative path is one of the present directory.
  func at(_ path: FilePath) -> FilePath {
    path.isAbsolute ? root.appending(path.components) : path
  }

  /// A small file's text, without the blanks around it; nil if it cannot be read.
  func text(_ path: FilePath) -> String? {
    guard let bytes = try? at(path).contents() else { return nil }
    return String(decoding: bytes, as: UTF8.self).trimmed
  }

  /// Looks at all processes once. The far end of a pseudo-terminal keeps its node open too, and holds it
  /// only if it has locked it.
  private static func presentHolder() -> (FilePath) -> Facts.Process? {
    let holders = PortHolders()
    return { path in
      let uses = holders.uses(of: path)
      let holder =
        holders.locker(of: path) ?? uses.first(where: \.isLocked)?.holder
        ?? uses.first { !$0.isFarEnd }?.holder
        ?? (holders.isExclusive(path) == true ? uses.first?.holder : nil)
      return holder.map { Facts.Process(pid: $0.pid, command: $0.command) }
    }
  }
}

extension Facts.User {
  /// The user of this process, and the groups that it has. The corresponding C function is
  /// `getgroups`.
  static var current: Self {
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(CInt(groups.count), &groups)
    return Self(
      name: AccountName.of(UserID(rawValue: geteuid())) ?? "$USER",
      groupIDs: Set(groups.prefix(Int(max(0, count))) + [getegid()]))
  }
}

extension StringProtocol {
  /// Without spaces and line ends around it.
  var trimmed: String {
    let rest = drop(while: \.isWhitespace)
    return String(rest.reversed().drop(while: \.isWhitespace).reversed())
  }
}
