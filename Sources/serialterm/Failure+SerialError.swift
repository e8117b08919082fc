import DeviceWatch
import SerialCore
import SystemPackage

extension Failure {
  /// Puts an error of the port in words, with advice.
  ///
  /// - Parameters:
  ///   - error: what the port said.
  ///   - access: what the node's permissions say, where they matter.
  ///   - holder: who has the port, where it is known.
  init(_ error: SerialError, access: NodeAccess?, holder: PortHolder?) {
    let path = error.path.string.harmless
    switch error.code {
    case .notFound:
      self.init(
        .deviceNotFound,
        "\(path): no such device. 'serialterm list' shows what there is; --wait waits for it.")
    case .noHardware:
      self.init(.deviceNotFound, "\(path): no hardware behind this port.")
    case .notASerialPort:
      self.init(.deviceNotFound, "\(path): not a serial port.")
    case .permissionDenied:
      self.init(.permissionDenied, "\(path): permission denied. \(Self.advice(for: access))")
    case .busy:
      let who = holder.map { "held by pid \($0.pid) (\($0.command))" } ?? "another program has it"
      let advice =
        switch holder {
        case let holder? where holder.command == "serialterm":
          "Quit that session, or lend its port to a command: 'serialterm release "
            + "\(error.path.string.shellWord) -- COMMAND'."
        case let holder?: "End that program: 'kill \(holder.pid)'."
        case nil: "'sudo serialterm doctor \(error.path.string.shellWord)' names it."
        }
      self.init(.deviceBusy, "\(path): busy, \(who). \(advice)")
    case .lost:
      self.init(.deviceLost, "\(path): the device is gone.")
    case .settingRefused:
      let setting = error.subject ?? "these line settings"
      self.init(.otherFailure, "\(path): the driver refuses \(setting)\(error.reason).")
    case .unsupported:
      self.init(.otherFailure, "\(path): this port has no \(error.subject ?? error.operation).")
    case .lockFailed:
      let file = error.subject ?? "the lock file"
      let what = error.errno.map { "cannot be used (\($0))" } ?? "does not say who holds it"
      self.init(
        .deviceBusy,
        "\(path): \(file) \(what). Delete it if no program uses the port: 'sudo rm "
          + "\(file.shellWord)'.")
    case .alreadyBound, .notOpen, .queueFull, .system:
      self.init(.otherFailure, "\(path): \(error.operation) failed\(error.reason).")
    }
  }

  /// The same, looking up what it needs to say.
  init(_ error: SerialError) {
    self.init(
      error, access: error.code == .permissionDenied ? NodeAccess.of(error.path) : nil,
      holder: error.code == .busy ? PortHolders()[error.path] : nil)
  }

  private static func advice(for access: NodeAccess?) -> String {
    guard let access, case .denied(let owner, let group, _) = access else {
      return "Its permissions do not let you in."
    }
    if let group = access.admittedGroup {
      return "It belongs to group \(group): 'sudo usermod -aG \(group) $USER', then log in again."
    }
    let name = owner ?? "another user"
    guard let group, group != "root" else { return "It belongs to \(name) alone." }
    return "It belongs to \(name); its group \(group) may not read and write it either."
  }
}

extension NodeAccess {
  /// The group that one has to be in to use a node that is denied; nil where that is root's, or
  /// none: a terminal on which a login runs, for one, is its group's to write to only.
  var admittedGroup: String? {
    guard case .denied(_, let group?, let mode?) = self, group != "root",
      mode.isSuperset(of: [.groupReadWrite])
    else { return nil }
    return group
  }
}

extension SerialError {
  fileprivate var reason: String { errno.map { " (\($0))" } ?? "" }
}
