package import SystemPackage

extension DeviceID {
  /// Combines a major and a minor number. The corresponding C macro is `makedev`.
  package init(majorNumber: UInt32, minorNumber: UInt32) {
    let (major, minor) = (UInt64(majorNumber), UInt64(minorNumber))
    // The low bits keep the position that they had in 16-bit numbers; see <bits/sysmacros.h>.
    let low = (major & 0xFFF) << 8 | minor & 0xFF
    let high = (major & ~0xFFF) << 32 | (minor & ~0xFF) << 12
    self.init(RawValue(low | high))
  }

  /// Decodes a number of 32 bits, with the major number in the 12 bits in the middle: see
  /// new_encode_dev() in the kernel.
  package init(encoded bits: UInt32) {
    self.init(majorNumber: bits >> 8 & 0xFFF, minorNumber: bits & 0xFF | bits >> 12 & 0xF_FF00)
  }

  /// Whether this is the slave side of a pseudo-terminal: see "136-143 char Unix98 PTY slaves" and
  /// "3 char" in Documentation/admin-guide/devices.txt of the kernel.
  package var isPseudoTerminal: Bool { (136...143).contains(majorNumber) || majorNumber == 3 }

  /// The major number, which identifies the driver. The corresponding C macro is `major`.
  package var majorNumber: UInt32 {
    let number = UInt64(rawValue)
    return UInt32(number >> 8 & 0xFFF | number >> 32 & 0xFFFF_F000)
  }

  /// The minor number, which identifies the device for its driver. The corresponding C
  /// macro is `minor`.
  package var minorNumber: UInt32 {
    let number = UInt64(rawValue)
    return UInt32(number & 0xFF | number >> 12 & 0xFFFF_FF00)
  }
}
