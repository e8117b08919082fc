import SerialCore
import SystemPackage
import Time

/// Decides when to retry opening a device that is present but cannot be opened, and what to report.
///
/// A node that has just appeared often cannot be opened yet: udev has not set its permissions, or
/// another program probes it first. This is a value that holds the state of one wait.
package struct ReturnPatience: Hashable {
  /// What to do after a failed attempt.
  struct Advice: Hashable {
    /// The delay before the next attempt if no event comes earlier; nil to wait for an event.
    var retry: Duration?
    /// The report for the user; nil for none.
    var report: Report?
  }

  /// A report to the user; each is made once for each reason.
  enum Report: Hashable {
    /// Another program has the port. Attempts continue.
    case held
    /// The wait takes longer than usual.
    case refused
  }

  /// Whether the user asked to wait for the port, and not only for the device to return. If so, a
  /// program that holds the port is reported immediately, and no wait is too long.
  let wasAskedFor: Bool
  /// Whether an event reports that the far end is there again.
  let hasPresence: Bool
  private var start: MonotonicTime?
  /// The time when a program last opened or closed the port.
  private var lastUse: MonotonicTime?
  private var reports: Set<ReasonedReport> = []

  /// A report that was made, and why attempts failed.
  private struct ReasonedReport: Hashable {
    let report: Report
    let code: SerialError.Code
    let errno: Errno?
  }

  /// The time that udev may take to set the permissions of a device that returned.
  package static let permissions = Duration.seconds(2)
  /// The time that another program may probe a port that has just appeared, as ModemManager does.
  package static let probing = Duration.seconds(10)
  /// The time that another program may hold the port before it is reported.
  private static let silence = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(50)
  /// The interval between attempts after that, and wherever no event is certain to come.
  static let longInterval = Duration.seconds(1)
  /// The interval between attempts where only an attempt shows whether the far end is there. When a
  /// server listens again, the session is open within a second, including the time to connect.
  package static let blindInterval = Duration.milliseconds(800)

  /// Starts a wait.
  ///
  /// - Parameters:
  ///   - wasAskedFor: whether the user asked to wait for the port.
  ///   - hasPresence: whether an event reports that the far end is there again.
  init(wasAskedFor: Bool = false, hasPresence: Bool = true) {
    self.wasAskedFor = wasAskedFor
    self.hasPresence = hasPresence
  }

  /// Records a failed attempt.
  ///
  /// - Parameters:
  ///   - error: the reason of the failure.
  ///   - now: the time of the attempt.
  ///   - isWatched: whether an event reports that the node appears, or that its permissions change.
  ///   - isUseWatched: whether an event reports that a program closes the port.
  mutating func failed(
    with error: SerialError, at now: MonotonicTime, isWatched: Bool, isUseWatched: Bool = false
  ) -> Advice {
    let start = start ?? now
    self.start = start
    switch error.code {
    case .notFound where hasPresence:
      // The device is gone again, or udev has not reported its removal: the next event starts
      // a new wait. A node may be made without an event, after udev has reported its device.
      self = ReturnPatience(wasAskedFor: wasAskedFor, hasPresence: hasPresence)
      return Advice(retry: isWatched ? nil : Self.longInterval, report: nil)
    case .noHardware:
      // The node of a container stays while its adapter is unplugged, and no event reports its
      // return. Elsewhere the node is about to be removed.
      let isLong = now >= start + Self.longInterval
      return Advice(retry: Self.longInterval, report: isLong ? first(.refused, error) : nil)
    case .unreachable:
      // The user already knows that the far end is gone.
      return Advice(retry: Self.blindInterval, report: nil)
    case .permissionDenied:
      let left = start + Self.permissions - now
      if left > .zero { return Advice(retry: isWatched ? left : Self.interval, report: nil) }
      // Other things than the node's permissions may forbid it too: the device rules of a
      // container, a security module. No event reports their change.
      return Advice(retry: Self.longInterval, report: first(.refused, error))
    case .busy:
      // The event of a close comes just before the lock is released. Other ways to release the lock
      // cause no event.
      let isLong = now >= start + Self.probing
      let isInUse = lastUse.map { now < $0 + Self.silence } ?? false
      let interval = (isUseWatched || isLong) && !isInUse ? Self.longInterval : Self.interval
      var report = wasAskedFor || now >= start + Self.silence ? first(.held, error) : nil
      if report == nil && isLong && !wasAskedFor { report = first(.refused, error) }
      return Advice(retry: interval, report: report)
    case .notFound, .notASerialPort, .attended, .notAdmitted, .lost, .settingRefused,
      .unsupported, .lockFailed,
      .alreadyBound, .notOpen, .queueFull, .penTaken, .refusedByServer, .otherProtocol,
      .system:
      return Advice(
        retry: hasPresence ? Self.longInterval : Self.blindInterval, report: first(.refused, error))
    }
  }

  /// Records that a program has opened or closed the port.
  mutating func portWasUsed(at now: MonotonicTime) { lastUse = now }

  private mutating func first(_ report: Report, _ error: SerialError) -> Report? {
    // The errors of a node without hardware differ only in the driver's choice.
    let errno = error.code == .noHardware ? nil : error.errno
    let new = ReasonedReport(report: report, code: error.code, errno: errno)
    return reports.insert(new).inserted ? report : nil
  }
}
