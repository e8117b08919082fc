internal import CSerial
import Glibc
import Posix
import SystemPackage

extension LineCounters {
  /// Reads the counters. The corresponding request is `TIOCGICOUNT`, which asks the driver,
  /// never the device.
  ///
  /// - Throws: `ENOTTY` where the driver counts nothing.
  init(of descriptor: FileDescriptor) throws(Errno) {
    var raw = serial_icounter_struct()
    try systemCall { ioctl(descriptor.rawValue, UInt(TIOCGICOUNT), &raw) }
    self.init(raw)
  }

  /// Converts the kernel's counters.
  init(_ raw: serial_icounter_struct) {
    received = UInt32(bitPattern: raw.rx)
    sent = UInt32(bitPattern: raw.tx)
    framingErrors = UInt32(bitPattern: raw.frame)
    parityErrors = UInt32(bitPattern: raw.parity)
    overruns = UInt32(bitPattern: raw.overrun)
    bufferOverruns = UInt32(bitPattern: raw.buf_overrun)
    breaks = UInt32(bitPattern: raw.brk)
    ctsChanges = UInt32(bitPattern: raw.cts)
    dsrChanges = UInt32(bitPattern: raw.dsr)
    dcdChanges = UInt32(bitPattern: raw.dcd)
    riChanges = UInt32(bitPattern: raw.rng)
  }
}
