public import SystemPackage

extension Device {
  /// The serial ports of the computer, those without hardware behind them
  /// included: see ``hasHardware``.
  ///
  /// To follow changes too, use a ``DeviceWatcher``.
  ///
  /// - Throws: the errors of libudev.
  public static func all() throws(Errno) -> [Device] {
    let watcher = DeviceWatcher(source: try UdevSource())
    try watcher.startIfNeeded()
    return watcher.devices
  }
}
