import SystemPackage

extension FilePath {
  /// The number of the character device that the path leads to; nil if it leads to none.
  var deviceNumber: DeviceID? {
    guard let file = try? stat(), file.type == .characterSpecial else { return nil }
    return file.specialDeviceID
  }
}
