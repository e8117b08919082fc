import DeviceWatch
import SerialCore

extension Reconnector {
  /// What the session's device is recognised by.
  enum Binding: Hashable {
    /// What it is, of a device that has been seen.
    case identity(IdentityMatcher)
    /// What the user said of it, before it has been seen.
    case selector(DeviceSelector)
    /// Whichever appears next.
    case next
    /// Where it is, of anything that udev does not know.
    case path(PathBinding)
  }

  /// What the user should know, or decide.
  enum Report: Hashable {
    /// Another program has the device, which is back; it is tried on for a while.
    case held(SerialError)
    /// The device is back, and could not be opened for longer than is usual.
    case refused(SerialError)
    /// More than one device is what the session waits for: see ``candidates``.
    case several([Device])
    /// Devices like the session's are there that are not known to be it: see ``candidates``.
    case lookAlikes([Device])
    /// There are no candidates any more: they have gone, or the device is found.
    case settled
  }
}
