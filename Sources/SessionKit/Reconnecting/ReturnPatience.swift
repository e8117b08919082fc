import Posix
import SerialCore
import SystemPackage

/// How to wait for a device that is there and cannot be opened: when to try again, and what to tell
/// the user.
///
/// A node that has just appeared often cannot be opened yet: udev is still setting its permissions, or
/// another program probes it first. A value: it holds what is known of one wait.
struct ReturnPatience: Hashable {
  /// What to do after a failed attempt.
  struct Advice: Hashable {
    /// After how long to try again if no event comes before; nil if only an event can help.
    var retry: Duration?
    /// What to tell the user now.
    var report: Report?
  }

  /// A report to the user; each is made once.
  enum Report: Hashable {
    /// Another program has the port. Attempts continue.
    case held
    /// The wait takes longer than usual.
    case refused
  }

  /// Whether the user asked to wait for the port, and not only for the device to return: a holder is
  /// named at once then, and no wait takes too long.
  let wasAskedFor: Bool
  /// Whether it causes an event that the far end is there again.
  let hasPresence: Bool
  private var start: MonotonicTime?
  /// When a program last opened or closed the port.
  private var lastUse: MonotonicTime?
  private var reports: Set<Report> = []

  /// How long udev may take to set the permissions of a device that came back.
  static let permissions = Duration.seconds(2)
  /// How long another program may probe a port that just appeared, as ModemManager does.
  static let probing = Duration.seconds(10)
  /// How long it may do so before it is reported.
  private static let silence = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(50)
  /// The interval of attempts after that.
  static let longInterval = Duration.seconds(1)
  /// The interval of attempts where only they tell whether the far end is there. A server that listens again
  /// has the session back within a second, the time to connect included.
  static let blindInterval = Duration.milliseconds(800)

  /// Starts a wait.
  ///
  /// - Parameters:
  ///   - wasAskedFor: whether the user asked to wait for the port.
  ///   - hasPresence: whether it causes an event that the far end is there again.
  init(wasAskedFor: Bool = false, hasPresence: Bool = true) {
    self.wasAskedFor = wasAskedFor
    self.hasPresence = hasPresence
  }

  /// An attempt failed.
  ///
  /// - Parameters:
  ///   - error: why it failed.
  ///   - now: the time of the attempt.
  ///   - isWatched: whether a change of the node's permissions causes an event.
  ///   - isUseWatched: whether it causes an event that a program closes the port.
  mutating func failed(
    with error: SerialError, at now: MonotonicTime, isWatched: Bool, isUseWatched: Bool = false
  ) -> Advice {
    let start = start ?? now
    self.start = start
    switch error.code {
    case .notFound where hasPresence:
      // It is gone again, or its removal has not been reported yet: the next event starts another wait.
      self = ReturnPatience(wasAskedFor: wasAskedFor, hasPresence: hasPresence)
      return Advice(retry: nil, report: nil)
    case .unreachable:
      // That it is gone was said already.
      return Advice(retry: Self.blindInterval, report: nil)
    case .permissionDenied:
      let left = start + Self.permissions - now
      if left > .zero { return Advice(retry: isWatched ? left : Self.interval, report: nil) }
      // EPERM, for example from the device rules of a container, does not depend on the permissions.
      let isAnnounced = isWatched && error.errno == .permissionDenied
      return Advice(retry: isAnnounced ? nil : Self.longInterval, report: first(.refused))
    case .busy:
      // The event of a close comes just before the lock is released. A lock that is released in another way
      // causes no event.
      let isLong = now >= start + Self.probing
      let isInUse = lastUse.map { now < $0 + Self.silence } ?? false
      let interval = (isUseWatched || isLong) && !isInUse ? Self.longInterval : Self.interval
      var report = wasAskedFor || now >= start + Self.silence ? first(.held) : nil
      if report == nil && isLong && !wasAskedFor { report = first(.refused) }
      return Advice(retry: interval, report: report)
    case .notFound, .noHardware, .notASerialPort, .lost, .settingRefused, .unsupported, .lockFailed,
      .alreadyBound, .notOpen, .queueFull, .penTaken, .refusedByServer, .otherProtocol,
      .system:
      return Advice(
        retry: hasPresence ? Self.longInterval : Self.blindInterval, report: first(.refused))
    }
  }

  /// A program has opened or closed the port that is waited for.
  mutating func portWasUsed(at now: MonotonicTime) { lastUse = now }

  private mutating func first(_ report: Report) -> Report? {
    reports.insert(report).inserted ? report : nil
  }
}
