/// An error of the next byte; see ``LinkOptions/marksErrors``.
public enum LineError: Hashable, Sendable {
  /// A parity or framing error; the byte as the receiver read it.
  case damaged(UInt8)
  /// A break, or a zero with an error: the kernel marks both alike. See termios(3), `PARMRK`.
  case breakOrDamagedZero
}
