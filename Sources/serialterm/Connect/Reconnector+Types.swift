import DeviceWatch
import SerialCore

extension Reconnector {
  /// How the session's device is recognised.
  enum Binding: Hashable {
    /// By its identity, after it has been seen.
    case identity(IdentityMatcher)
    /// By the user's description, before it has been seen.
    case selector(DeviceSelector)
    /// It is the first that appears with hardware, and is none of these devices by their incarnations.
    case next(besides: Set<UInt64>)
    /// By its path, if udev does not know it.
    case path(PathBinding)
  }

  /// News for the user, or a question.
  enum Report: Hashable {
    /// The device is back, but another program has it. Opening is retried.
    case held(SerialError)
    /// The device is back, and could not be opened for longer than usual.
    case refused(SerialError)
    /// More than one device matches: see ``candidates``.
    case several([Device])
    /// Similar devices are present, and it is not certain that one of them is the session's: see
    /// ``candidates``.
    case lookAlikes([Device])
    /// There are no candidates any more: they are gone, or the device was found.
    case settled
  }
}

extension Reconnector.Binding {
  /// The next device to be plugged in.
  ///
  /// - Parameter present: the devices that are not meant.
  static func next(after present: [Device]) -> Self {
    .next(besides: Set(present.compactMap(\.incarnation)))
  }
}
