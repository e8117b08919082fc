import Posix
import SerialCore
import SystemPackage

/// How a device is waited for that came back and cannot be opened: what is tried again when, and
/// what its user is told.
///
/// A node that has just come is often not ours yet: udev is still setting its permissions, or
/// another program looks at it first. A value: it holds what is known of one return.
struct ReturnPatience: Hashable {
  /// What to do about a failed attempt.
  struct Advice: Hashable {
    /// When to try again if no event comes before; nil if only an event can help.
    var retry: Duration?
    /// What the user should know by now and has not been told.
    var report: Report?
  }

  /// What the user is told, each once.
  enum Report: Hashable {
    /// Another program has the port; it is tried on.
    case held
    /// That lasts for longer than is usual.
    case refused
  }

  private var start: MonotonicTime?
  private var reports: Set<Report> = []

  /// How long after a device came back its permissions may still be on their way from udev.
  static let permissions = Duration.seconds(2)
  /// How long another program may probe a port that has just come (ModemManager does).
  static let probing = Duration.seconds(10)
  /// How long it may do so without a word.
  private static let silence = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(50)
  /// How often it is tried when that was not enough, and the user knows.
  private static let longInterval = Duration.seconds(1)

  /// An attempt failed.
  ///
  /// - Parameters:
  ///   - error: why.
  ///   - now: when.
  ///   - isWatched: whether a change of the node's permissions will be heard.
  mutating func failed(
    with error: SerialError, at now: MonotonicTime, isWatched: Bool
  ) -> Advice {
    let start = start ?? now
    self.start = start
    switch error.code {
    case .notFound:
      // Gone again, or not quite gone yet: what comes next is an event, and another return.
      self = ReturnPatience()
      return Advice(retry: nil, report: nil)
    case .permissionDenied:
      let left = start + Self.permissions - now
      if left > .zero { return Advice(retry: isWatched ? left : Self.interval, report: nil) }
      // What a container's rules forbid shows in no permissions.
      let isAnnounced = isWatched && error.errno == .permissionDenied
      return Advice(retry: isAnnounced ? nil : Self.longInterval, report: first(.refused))
    case .busy:
      // No event tells that a holder gave up its lock.
      if now >= start + Self.probing {
        return Advice(retry: Self.longInterval, report: first(.refused))
      }
      let isLong = now >= start + Self.silence
      return Advice(retry: Self.interval, report: isLong ? first(.held) : nil)
    case .noHardware, .notASerialPort, .lost, .settingRefused, .unsupported, .lockFailed,
      .alreadyBound, .notOpen, .queueFull, .system:
      return Advice(retry: Self.longInterval, report: first(.refused))
    }
  }

  private mutating func first(_ report: Report) -> Report? {
    reports.insert(report).inserted ? report : nil
  }
}
