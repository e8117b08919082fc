import DeviceWatch
import Glibc
import Posix
import SerialCore
import SystemPackage

extension Inspector {
  /// The facts about the port of a device.
  func port(_ device: Device) -> Inspection.Port {
    let record = UdevRecord(of: device, in: self)
    var port = port(at: device.node, node: device.node)
    port.device = device
    port.isIgnoredByModemManager = record.isIgnoredByModemManager
    port.autosuspend = sleepControl(of: device)
    switch port.node {
    case .present(var permissions):
      permissions.isForSeat = record.tags.contains("uaccess")
      port.node = .present(permissions)
    case .absent: port.node = .absent(numbers: text(FilePath(device.syspath).appending("dev")))
    case .notATerminal, .closedOff: break
    }
    return port
  }

  /// The facts about a path that udev does not know.
  func bare(_ path: FilePath) -> Inspection.Port { port(at: path, node: resolved(path)) }

  /// Whether the user may not search a directory on the path.
  func isClosedOff(_ path: FilePath) -> Bool {
    do throws(Errno) {
      _ = try at(path).stat()
      return false
    } catch {
      return error == .permissionDenied
    }
  }

  private func port(at path: FilePath, node: FilePath) -> Inspection.Port {
    let name = node.string.hasPrefix("/dev/") ? String(node.string.dropFirst(5)) : node.string
    return Inspection.Port(
      path: path, name: name, number: (try? at(path).stat())?.specialDeviceID,
      node: self.node(path), occupants: occupants(at(path)), lock: lockFile(of: name))
  }

  /// The path with all links resolved; the path itself if it leads nowhere.
  private func resolved(_ path: FilePath) -> FilePath {
    at(path).realPath ?? path
  }

  private func node(_ path: FilePath) -> Inspection.Node {
    if isClosedOff(path) { return .closedOff }
    guard let file = try? at(path).stat() else { return .absent(numbers: nil) }
    guard file.type == .characterSpecial, isTerminal(file.specialDeviceID) else {
      return .notATerminal
    }
    let group = groups.first { $0.id == file.groupID.rawValue }
    return .present(
      Inspection.Permissions(
        isAccessible: isAccessible(at(path)),
        owner: AccountName.of(file.userID),
        group: group?.name ?? AccountName.of(file.groupID),
        groupID: file.groupID.rawValue,
        isForGroup: file.permissions.isSuperset(of: [.groupReadWrite]),
        listsUser: group?.members.contains(user.name) == true))
  }

  /// Whether a node has the number of a serial port that the kernel does not have. The kernel
  /// deletes only nodes that it created itself, not those of mknod(1) or of a container.
  func isLeftOver(_ path: FilePath) -> Bool {
    guard let file = try? at(path).stat(), file.type == .characterSpecial else { return false }
    let id = file.specialDeviceID
    // Serial ports are listed in sysfs, pseudo-terminals are not.
    return driverType(of: id) == "serial" && exists("/sys/dev/char")
      && !exists(FilePath("/sys/dev/char/\(id.majorNumber):\(id.minorNumber)"))
  }

  /// Whether a device number belongs to a terminal driver; true if that is unknown.
  private func isTerminal(_ id: DeviceID) -> Bool {
    !exists(TerminalDriver.file) || driverType(of: id) != nil
  }

  /// The type of the driver of a device number; nil if no driver of terminals has it.
  private func driverType(of id: DeviceID) -> Substring? {
    TerminalDriver.all(in: text(TerminalDriver.file) ?? "").first { $0.has(id) }?.type
  }

  /// The groups of /etc/group: see group(5).
  private var groups: [(name: String, id: UInt32, members: [String])] {
    (text("/etc/group") ?? "").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 4, let id = UInt32(fields[2]) else { return nil }
      return (String(fields[0]), id, fields[3].split(separator: ",").map(String.init))
    }
  }

  /// The lock file of a port, unless it names a running process.
  private func lockFile(of name: String) -> Inspection.LockFile? {
    let lock = UUCPLock(
      for: FilePath("/dev").appending(FilePath(name).components), in: at("/var/lock"))
    let state: Inspection.LockFile.State
    switch lock.status {
    case .absent: return nil
    case .held(by: nil): state = .inCreation
    case .stale(by: nil): state = .stale(pid: nil)
    case .held(by: let pid?), .stale(by: let pid?):
      if exists(FilePath("/proc/\(pid)")) { return nil }
      state = .stale(pid: pid)
    case .unusable(let error): state = .unusable(error)
    }
    let name = lock.file.lastComponent.map { [$0] } ?? []
    return Inspection.LockFile(file: FilePath("/var/lock").appending(name), state: state)
  }

  /// The file that controls autosuspend: see
  /// Documentation/ABI/testing/sysfs-bus-usb, `power/control`.
  private func sleepControl(of device: Device) -> FilePath? {
    guard device.usb != nil else { return nil }
    var folder = FilePath(device.syspath)
    // The USB device is the first ancestor of the port that has USB numbers.
    while !exists(folder.appending("idVendor")) {
      guard folder.removeLastComponent() else { return nil }
    }
    let file = folder.appending("power").appending("control")
    return text(file) == "auto" ? file : nil
  }
}
