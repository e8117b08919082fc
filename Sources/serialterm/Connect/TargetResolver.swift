import DeviceWatch
import SerialCore
import SystemPackage

/// Which of the devices that there are a user means: a pure function of the two.
enum TargetResolver {
  /// The device that a selector means.
  ///
  /// - Returns: nil when none fits.
  /// - Throws: ``Failure`` when more than one fits, listing them.
  static func device(
    matching selector: DeviceSelector, among devices: [Device]
  ) throws(Failure) -> Device? {
    let matches = selector.matches(among: devices)
    guard matches.count < 2 else {
      throw Failure(.usage, "\(selector) fits more than one device:\n\(list(matches))")
    }
    return matches.first
  }

  /// The device that is meant when none is named: the only one there is.
  ///
  /// - Throws: ``Failure`` when there is none, or more than one.
  static func onlyDevice(among devices: [Device]) throws(Failure) -> Device {
    let devices = devices.filter(\.hasHardware)
    switch devices.count {
    case 1: return devices[0]
    case 0:
      throw Failure(
        .deviceNotFound,
        "no serial device is there. Plug one in, or try 'serialterm loopback:board'.")
    default:
      throw Failure(.usage, "more than one device is there; name one:\n\(list(devices))")
    }
  }

  private static func list(_ devices: [Device]) -> String {
    devices.map { "  \($0.node)  \($0.summary)" }.joined(separator: "\n")
  }
}
