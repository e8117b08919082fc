import Posix
package import SystemPackage

/// Which nodes of this computer a link may open.
package enum NodeAdmission: Hashable, Sendable {
  /// Every terminal device: the user has named it.
  case any
  /// Every one at which nobody sits.
  case unattended
  /// Of these, the serial ports: no console of this computer, and no pseudo-terminal of another
  /// program than this one.
  case serialPorts

  /// Why a node may not be opened; nil if it may.
  ///
  /// It looks at all processes, which takes some milliseconds.
  ///
  /// - Parameter number: the number of the device.
  package func refusal(of number: DeviceID) -> SerialError.Code? {
    guard self != .any else { return nil }
    let processes = FilePath("/proc").entryNames().compactMap { Int32($0) }
    if let holder = Self.leader(at: number, among: processes) { return .attended(by: holder) }
    guard self == .serialPorts else { return nil }
    if number.isPseudoTerminal {
      return Self.isOurs(number.minorNumber, among: processes) ? nil : .notAdmitted
    }
    return number.isConsole ? .notAdmitted : nil
  }

  /// - Throws: ``SerialError`` if the node may not be opened.
  func check(_ number: DeviceID, at path: FilePath) throws(SerialError) {
    if let code = refusal(of: number) { throw SerialError(code, in: "stat", at: path) }
  }

  /// A process whose controlling terminal this is: the leader of its session, if it still runs.
  static func leader(at number: DeviceID, among processes: [Int32]) -> PortHolder? {
    var first: Int32?
    for pid in processes {
      guard let status = ProcessStatus(in: FilePath("/proc/\(pid)")), status.terminal == number
      else { continue }
      if status.session == pid { return PortHolder(pid: pid) }
      first = first ?? pid
    }
    return first.flatMap { PortHolder(pid: $0) }
  }

  /// Whether a process that runs the same program as this one has the master of a pseudo-terminal.
  private static func isOurs(_ number: UInt32, among processes: [Int32]) -> Bool {
    guard let program = program(of: "self") else { return false }
    return processes.contains { pid in
      Self.program(of: "\(pid)") == program && PortHolders.hasMaster(pid, of: number)
    }
  }

  /// The name of the program that a process runs; nil for a process of another user.
  private static func program(of process: String) -> String? {
    // The kernel marks a program that was replaced meanwhile.
    let name = FilePath("/proc/\(process)/exe").linkTarget?.lastComponent?.string
    return name.map { $0.hasSuffix(" (deleted)") ? String($0.dropLast(10)) : $0 }
  }
}

extension DeviceID {
  /// Whether it is a virtual console, or a name that stands for another terminal: see "4 char" and
  /// "5 char" in Documentation/admin-guide/devices.txt of the kernel.
  fileprivate var isConsole: Bool { majorNumber == 4 && minorNumber < 64 || majorNumber == 5 }
}
