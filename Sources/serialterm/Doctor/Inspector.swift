import DeviceWatch
import Glibc
import Posix
import SerialCore
import Sessions
import SystemPackage
import TextTools

/// Reads facts about the computer from /proc, /sys, /run and /etc. It opens no port
/// and decides nothing.
struct Inspector {
  /// The root directory; tests use another one.
  var root: FilePath = "/"
  /// The devices that udev or the kernel knows.
  let devices: [Device]
  /// The user of this process.
  var user = Inspection.User.current
  /// Finds the processes that have a port open.
  var occupants: (FilePath) -> Inspection.Occupants = Self.presentOccupants()
  /// Whether the user may open a node.
  var isAccessible: (FilePath) -> Bool = { NodeAccess.of($0) == .accessible }

  /// The facts about a target. Nothing is known here about a port over the network.
  func inspection(of target: DiagnosisTarget) -> Inspection {
    var inspection = Inspection(machine: machine, scope: .target)
    switch target {
    case .machine:
      inspection.scope = .machine
      inspection.ports = devices.filter(\.hasHardware).map(port)
    case .devices(let devices, let selector):
      inspection.ports = devices.map(port)
      inspection.ambiguousTarget = selector
    case .path(_, let device?): inspection.ports = [port(device)]
    case .path(let path, nil):
      inspection.hasLeftOverNode = isLeftOver(path)
      if (exists(path) && !inspection.hasLeftOverNode) || isClosedOff(path) {
        inspection.ports = [bare(path)]
      } else {
        inspection.scope = .missing(path.string)
      }
    case .absent(let scope): inspection.scope = scope
    case .simulation, .remote: break
    }
    // The target may be a chip that has no port.
    if inspection.scope != .target { inspection.strays = strays }
    return inspection
  }

  /// A path below the root; a relative path is relative to the current directory.
  func at(_ path: FilePath) -> FilePath {
    path.isAbsolute ? root.appending(path.components) : path
  }

  /// The trimmed text of a small file; nil if it cannot be read.
  func text(_ path: FilePath) -> String? {
    guard let bytes = try? at(path).contents() else { return nil }
    return String(String(decoding: bytes, as: UTF8.self).trimmed)
  }

  /// Searches all processes once.
  ///
  /// A program that has the port open without a lock does not prevent others from opening it. The
  /// far end of a pseudo-terminal has the node open too, but is not counted.
  private static func presentOccupants() -> (FilePath) -> Inspection.Occupants {
    let holders = PortHolders()
    let ignoresExclusiveMode = Self.ignoresExclusiveMode
    return { path in
      let uses = holders.uses(of: path)
      let others = uses.filter { !$0.isFarEnd }.map(\.holder)
      let isExclusive = !ignoresExclusiveMode && holders.isExclusive(path) == true
      let holder =
        holders.locker(of: path) ?? uses.first(where: \.isLocked)?.holder
        ?? (isExclusive ? others.first ?? uses.first?.holder : nil)
      let all = others + [holder].compactMap(\.self)
      return Inspection.Occupants(
        holder: holder, sharers: others.filter { $0.pid != holder?.pid },
        sessions: Set(all.filter(\.hasSession).map(\.pid)),
        withOtherPorts: Set(
          all.map(\.pid).filter { holders.hasOtherPorts($0, besides: path) }))
    }
  }

  /// Whether this process may open a port in exclusive mode (`TIOCEXCL`), because it has the
  /// capability CAP_SYS_ADMIN. See capabilities(7) and ioctl_tty(2).
  private static var ignoresExclusiveMode: Bool {
    let status = String(
      decoding: (try? FilePath("/proc/self/status").contents()) ?? [], as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let effective = line.flatMap { UInt64($0.dropFirst("CapEff:".count).trimmed, radix: 16) } ?? 0
    return effective & (1 << 21) != 0
  }
}

extension Inspection.User {
  /// The user and the groups of this process. The corresponding C function is `getgroups`.
  static var current: Self {
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(CInt(groups.count), &groups)
    return Self(
      name: AccountName.of(UserID(rawValue: geteuid())) ?? "$USER",
      groupIDs: Set(groups.prefix(Int(max(0, count))) + [getegid()]))
  }
}

extension Inspector {
  /// The finding of `doctor` about the permissions of a path; nil if they allow access.
  static func denial(at path: FilePath) -> Finding? {
    let inspector = Inspector(devices: [], occupants: { _ in Inspection.Occupants() })
    let machine = Inspection.Machine(user: inspector.user, isContainer: inspector.isContainer)
    let port = inspector.bare(path)
    let findings = Diagnosis.hardware(port, on: machine) + Diagnosis.access(port, on: machine)
    return findings.first { $0.code == .permissionDenied || $0.code == .loginNeeded }
  }
}
