/// What the receiver says of the next byte; see ``LinkOptions/marksErrors``.
public enum LineError: Hashable, Sendable {
  /// It came with a parity or framing error: this is what the receiver made of it.
  case damaged(UInt8)
  /// It is a zero that stands for a break condition, or one that came with an error: the kernel
  /// marks both alike. See termios(3), `PARMRK`.
  case breakOrDamagedZero
}
