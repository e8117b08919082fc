import DeviceWatch
import Glibc
import Posix
import SerialCore
import SystemPackage

extension FactGatherer {
  /// What there is to know of a device's port.
  func port(_ device: Device) -> Facts.Port {
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

  /// The same for a path that udev does not know.
  func bare(_ path: FilePath) -> Facts.Port { port(at: path, node: resolved(path)) }

  /// Whether a directory on the path may not be searched, so that nobody knows what is there.
  func isClosedOff(_ path: FilePath) -> Bool {
    do throws(Errno) {
      _ = try at(path).stat()
      return false
    } catch {
      return error == .permissionDenied
    }
  }

  private func port(at path: FilePath, node: FilePath) -> Facts.Port {
    let name = node.string.hasPrefix("/dev/") ? String(node.string.dropFirst(5)) : node.string
    var port = Facts.Port(
      path: path, name: name, number: (try? at(path).stat())?.specialDeviceID,
      node: self.node(path), holder: holder(at(path)))
    lookAtLock(of: &port)
    return port
  }

  /// Where a path leads when links are followed; the path itself where that is nowhere.
  private func resolved(_ path: FilePath) -> FilePath {
    at(path).realPath ?? path
  }

  private func node(_ path: FilePath) -> Facts.Node {
    if isClosedOff(path) { return .closedOff }
    guard let file = try? at(path).stat() else { return .absent(numbers: nil) }
    guard file.type == .characterSpecial, isTerminal(file.specialDeviceID) else {
      return .notATerminal
    }
    let group = groups.first { $0.id == file.groupID.rawValue }
    return .present(
      Facts.Permissions(
        isAccessible: isAccessible(at(path)),
        owner: AccountName.of(file.userID),
        group: group?.name ?? AccountName.of(file.groupID),
        groupID: file.groupID.rawValue,
        isForGroup: file.permissions.isSuperset(of: [.groupReadWrite]),
        listsUser: group?.members.contains(user.name) == true))
  }

  /// Whether a node has the number of a serial port that the kernel does not have. The kernel deletes
  /// the nodes that it made; one that was made by mknod(1), or by what starts a container, stays.
  func isLeftOver(_ path: FilePath) -> Bool {
    guard let file = try? at(path).stat(), file.type == .characterSpecial else { return false }
    let id = file.specialDeviceID
    // Pseudo-terminals are none of sysfs's, but serial ports are.
    return driverType(of: id) == "serial" && exists("/sys/dev/char")
      && !exists(FilePath("/sys/dev/char/\(id.majorNumber):\(id.minorNumber)"))
  }

  /// Whether a driver of terminals has a device number; true where nobody tells.
  private func isTerminal(_ id: DeviceID) -> Bool {
    !exists("/proc/tty/drivers") || driverType(of: id) != nil
  }

  /// The type of the driver that has a device number, by /proc/tty/drivers: name, node, major number,
  /// range of minor numbers, type (`serial`, `pty:slave`, …).
  private func driverType(of id: DeviceID) -> Substring? {
    for line in (text("/proc/tty/drivers") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 5, UInt32(words[2]) == id.majorNumber else { continue }
      let bounds = words[3].split(separator: "-").compactMap { UInt32($0) }
      guard let first = bounds.first, let last = bounds.last else { continue }
      if (first...max(first, last)).contains(id.minorNumber) { return words[4] }
    }
    return nil
  }

  /// The groups of /etc/group: see group(5).
  private var groups: [(name: String, id: UInt32, members: [String])] {
    (text("/etc/group") ?? "").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 4, let id = UInt32(fields[2]) else { return nil }
      return (String(fields[0]), id, fields[3].split(separator: ",").map(String.init))
    }
  }

  /// Looks whether the port's lock file is that of a process that is no more, or says of none.
  private func lookAtLock(of port: inout Facts.Port) {
    let name = port.name.split(separator: "/").joined(separator: "_")
    let file = FilePath("/var/lock/LCK..\(name)")
    do throws(Errno) {
      let contents = try lockContents(file)
      // An empty one is being made, or was left over by who was to make it, and passed over.
      if contents.isEmpty { return }
      guard let pid = UUCPLock.processID(in: contents[...]) else { throw .invalidArgument }
      if !exists(FilePath("/proc/\(pid)")) {
        port.staleLock = Facts.StaleLock(file: file, pid: pid)
      }
    } catch .noSuchFileOrDirectory {
      return
    } catch {
      port.unusableLock = file
    }
  }

  /// What a lock file says. Its folder is everybody's: a link is not followed there, the other end
  /// of a named pipe not waited for, and no more is read than a lock file has.
  private func lockContents(_ file: FilePath) throws(Errno) -> [UInt8] {
    let file = try OwnedDescriptor.open(at(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard try file.borrowed.stat().type == .regular else { throw .invalidArgument }
    return withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { room in
      guard case .bytes(let count)? = try? file.borrowed.readAvailable(into: room) else {
        return []
      }
      return Array(room[..<count])
    }
  }

  /// See Documentation/ABI/testing/sysfs-bus-usb, `power/control`.
  private func sleepControl(of device: Device) -> FilePath? {
    guard device.usb != nil else { return nil }
    var folder = FilePath(device.syspath)
    // The USB device is the first above the port that has numbers.
    while !exists(folder.appending("idVendor")) {
      guard folder.removeLastComponent() else { return nil }
    }
    let file = folder.appending("power").appending("control")
    return text(file) == "auto" ? file : nil
  }
}
