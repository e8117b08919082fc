import DeviceWatch
import Glibc
import NetworkLinks
import SerialCore
import Sessions
import SystemPackage
import Telnet
import TextTools

extension Failure {
  /// Describes an error of the port, with advice.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - problem: the cause, in the words of `doctor`.
  ///   - denial: the finding of `doctor` about the permissions, if access was denied.
  init(_ error: SerialError, _ problem: PortProblem, denial: Finding?) {
    let path = "\(error.endpoint)".harmless
    let word = "\(error.endpoint)".shellWord
    let (status, advice): (ExitStatus, String) =
      switch problem {
      case .noSuchDevice:
        (
          .deviceNotFound,
          (UnitInstance.advice(for: error.endpoint).map { "\($0) " } ?? "")
            + "'serialterm list' shows the devices; --wait waits for it."
        )
      case .noHardware:
        (
          .deviceNotFound,
          "'serialterm list' shows the ports with hardware; --wait waits for it."
        )
      case .notASerialPort: (.deviceNotFound, "'serialterm list --all' shows the ports.")
      case .permissionDenied, .loginNeeded:
        (
          .permissionDenied,
          denial?.advice
            ?? "Its owner and mode allow it: the rules of a container or a security module may not."
        )
      case .busy(let holder?, let hasSession, let hasOthers)
      where hasSession || holder.command == "serialterm":
        (
          .deviceBusy,
          (problem.wayIn(at: "\(error.endpoint)").map {
            hasOthers ? "\($0) Or" : "\($0) Or quit it, or"
          }
            ?? (hasOthers ? "Close the port there, or" : "Quit that session, or"))
            + " lend its port to a command: "
            + "'serialterm release \(word) -- COMMAND'."
        )
      case .busy(_?, _, hasOtherPorts: true):
        (.deviceBusy, "Close this port in that program: its end would close the others too.")
      case .busy(let holder?, _, _): (.deviceBusy, "End that program: '\(holder.endingCommand)'.")
      case .openHere: (.usage, "Name each device once.")
      case .busy(nil, _, _): (.deviceBusy, "'sudo serialterm doctor \(word)' names it.")
      case .lockInCreation: (.deviceBusy, "Try again in a few seconds, or use --wait.")
      case .unusableLock(let file, _):
        (
          .deviceBusy,
          "Delete it if no program uses the port: 'sudo rm -r \(file.shellWord)'."
        )
      }
    let failure = Failure(status, "\(path): \(denial?.what ?? "\(problem)"). \(advice)")
    self = status == .deviceBusy ? failure.avoidableByWaiting : failure
  }

  /// An error of an operation on a port that can be used.
  private init(other error: SerialError) {
    let path = "\(error.endpoint)".harmless
    switch error.code {
    case .lost where error.endpoint.path == nil:
      let reason = error.subject.map { ": \($0.harmless)" } ?? error.reason
      self.init(.deviceLost, "\(path): the connection is lost\(reason).")
    case .lost: self.init(.deviceLost, "\(path): the device is gone.")
    case .settingRefused:
      let setting = error.subject ?? "these line settings"
      self.init(.otherFailure, "\(path): the driver refuses \(setting)\(error.reason).")
    case .penTaken(let author):
      self.init(.otherFailure, "\(path): not sent, because \(author.name.harmless) is being sent.")
    case .unreachable:
      self.init(
        .deviceNotFound,
        "\(path): not reachable (\((error.subject ?? error.errno.map { "\($0)" } ?? "").harmless))."
      )
    case .refusedByServer:
      let reason = error.subject.map { ": \($0.harmless)" } ?? ""
      self.init(.deviceLost, "\(path): the server has ended the connection\(reason).")
    case .otherProtocol:
      let name = error.subject ?? ""
      let other: StreamProtocol = name == "telnet" ? .raw : .telnet
      let target = error.endpoint.name(speaking: other)?.harmless
      self.init(
        .otherFailure,
        other == .raw
          ? "\(path): this is not a telnet server. \(target ?? "tcp://") passes bytes as they are."
          : "\(path): the server has no \(name). \(target ?? "telnet://") passes bytes without settings."
      )
    case .unsupported:
      self.init(.otherFailure, "\(path): this port has no \(error.subject ?? error.operation).")
    case .notFound, .noHardware, .notASerialPort, .attended, .notAdmitted, .permissionDenied,
      .busy, .lockFailed, .alreadyBound, .notOpen, .queueFull, .system:
      self.init(.otherFailure, "\(path): \(error.operation) failed\(error.reason).")
    }
  }

  /// Describes an error of the port, with advice. It looks up the holder of a busy port, or the
  /// reason why access is denied.
  init(_ error: SerialError) {
    if error.endpoint.kind == .ssh, error.operation == "ssh" {
      self.init(ssh: error)
    } else if error.operation == LabgridPlace.operation {
      self.init(labgrid: error)
    } else {
      self.init(known: error)
    }
  }

  /// An error of ssh, or of the serialterm at the other end, in its own words.
  private init(ssh error: SerialError) {
    let path = "\(error.endpoint)".harmless
    let words = (error.subject ?? error.errno.map { "\($0)" } ?? "").harmless
    switch error.code {
    case .unreachable where error.errno == .noSuchFileOrDirectory:
      self.init(.otherFailure, "\(path): ssh is not installed on this computer.")
    case .unreachable:
      self.init(
        .deviceNotFound,
        "\(path): ssh says: \(words.asSentence) ssh must be able to log in without asking for a password."
      )
    case .notFound:
      self.init(.deviceNotFound, "\(path): on the other computer: \(words.asSentence)")
    case .permissionDenied:
      self.init(.permissionDenied, "\(path): on the other computer: \(words.asSentence)")
    case .busy: self.init(.deviceBusy, "\(path): on the other computer: \(words.asSentence)")
    default: self.init(.otherFailure, "\(path): \(words.asSentence)")
    }
  }

  /// Why the console of a place of labgrid cannot be used.
  private init(labgrid error: SerialError) {
    let status: ExitStatus =
      switch error.code {
      case .notFound, .unreachable: .deviceNotFound
      case .permissionDenied: .permissionDenied
      case .busy: .deviceBusy
      default: .otherFailure
      }
    let words = (error.subject ?? "").harmless
    self.init(status, "\("\(error.endpoint)".harmless): \(words.asSentence)")
  }

  private init(known error: SerialError) {
    switch error.code {
    case .notFound where error.endpoint.kind == .unix:
      self.init(.deviceNotFound, "\("\(error.endpoint)".harmless): there is no such socket.")
    case .notFound: self.init(error, .noSuchDevice, denial: nil)
    case .noHardware: self.init(error, .noHardware, denial: nil)
    case .notASerialPort: self.init(error, .notASerialPort, denial: nil)
    case .attended(let holder):
      self.init(
        .permissionDenied,
        "\("\(error.endpoint)".harmless): not allowed: it is the terminal of "
          + "\(holder.command.harmless) (pid \(holder.pid)).")
    case .notAdmitted:
      self.init(.permissionDenied, AgentRules.refusal(ofNode: "\(error.endpoint)"))
    case .permissionDenied where error.endpoint.socketPath != nil:
      let denial = SocketDenial(at: error.endpoint.socketPath ?? "")
      self.init(
        .permissionDenied, "\("\(error.endpoint)".harmless): permission denied: \(denial.words)")
    case .permissionDenied:
      self.init(error, .permissionDenied, denial: error.endpoint.path.flatMap(Inspector.denial))
    case .busy where error.endpoint.path == nil:
      let reason =
        error.subject.map { "the server says that the port is in use: \($0.harmless)" }
        ?? "the server does not answer. It may be serving another client"
        + (error.endpoint.name(speaking: .raw).map {
          ", or speak no telnet: \($0.harmless) passes bytes as they are"
        } ?? "")
      self =
        Failure(.deviceBusy, "\("\(error.endpoint)".harmless): \(reason).").avoidableByWaiting
    case .busy: self.init(error, .busy(at: error.endpoint), denial: nil)
    case .lockFailed:
      let file = error.subject ?? "the lock file"
      self.init(error, .unusableLock(file, error.errno), denial: nil)
    case .lost, .settingRefused, .unsupported, .alreadyBound, .notOpen, .queueFull, .penTaken,
      .unreachable, .refusedByServer, .otherProtocol, .system:
      self.init(other: error)
    }
  }
}

extension String {
  /// The text, with a full stop at the end.
  var asSentence: String { hasSuffix(".") ? self : "\(self)." }
}

extension PortProblem {
  /// The reason why a port is busy, from the lock file and the list of processes.
  static func busy(at endpoint: Endpoint) -> PortProblem {
    guard let path = endpoint.path else { return .busy(nil) }
    let holders = PortHolders()
    if let locker = holders.locker(of: path) { return busy(locker, at: path, among: holders) }
    let lock = UUCPLock(for: path)
    if lock.status == .held(by: nil) { return .lockInCreation(lock.file.string) }
    return holders[path].map { busy($0, at: path, among: holders) } ?? .busy(nil)
  }

  private static func busy(
    _ holder: PortHolder, at path: FilePath, among holders: PortHolders
  ) -> PortProblem {
    guard holder.pid != getpid() else { return .openHere }
    return .busy(
      holder, hasSession: holder.hasSession,
      hasOtherPorts: holders.hasOtherPorts(holder.pid, besides: path))
  }
}

extension Finding {
  /// The reason and the fix, as sentences.
  fileprivate var advice: String {
    let fixes = fixes.map { line in
      guard let comment = line.firstRange(ofText: "   # ") else { return "'\(line)'" }
      return "'\(line[..<comment.lowerBound])' (\(line[comment.upperBound...]))"
    }
    return "\(why) Fix: \(fixes.joined(separator: ", then "))."
  }
}

extension NodeAccess {
  /// The group whose members may use a node that this user may not open; nil if that is root's
  /// group, or if the group may not read and write the node, as for the terminal of a login.
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
