public import SystemPackage

extension DeviceID {
  /// Puts a device's number together. The corresponding C macro is `makedev`.
  public init(majorNumber: UInt32, minorNumber: UInt32) {
    let (major, minor) = (UInt64(majorNumber), UInt64(minorNumber))
    // The low halves stand where they stood when a number had 16 bits; see <bits/sysmacros.h>.
    let low = (major & 0xFFF) << 8 | minor & 0xFF
    let high = (major & ~0xFFF) << 32 | (minor & ~0xFF) << 12
    self.init(RawValue(low | high))
  }

  /// Whether it is the side of a pseudo-terminal that programs open: see "136-143 char Unix98 PTY
  /// slaves" and "3 char" in Documentation/admin-guide/devices.txt of the kernel.
  public var isPseudoTerminal: Bool { (136...143).contains(majorNumber) || majorNumber == 3 }

  /// The driver's number. The corresponding C macro is `major`.
  public var majorNumber: UInt32 {
    let number = UInt64(rawValue)
    return UInt32(number >> 8 & 0xFFF | number >> 32 & 0xFFFF_F000)
  }

  /// The driver's number for the device. The corresponding C macro is `minor`.
  public var minorNumber: UInt32 {
    let number = UInt64(rawValue)
    return UInt32(number & 0xFF | number >> 12 & 0xFFFF_FF00)
  }
}
