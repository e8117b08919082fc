package import DeviceWatch
package import SerialCore

/// The front end of a session: it answers what only it knows, and can veto what the session does.
package protocol SessionControllerDelegate: SessionDelegate {
  /// Whether the configuration depends on the device. Then the port is not opened before the device
  /// is known, if udev may know it.
  func dependsOnDevice(_ session: Session) -> Bool

  /// A device that was not known at the start was found. Its port is opened next, for the first
  /// time. The delegate may call ``SessionController/adopt(_:)``.
  ///
  /// - Throws: why the session must end instead.
  func session(_ session: Session, didFind device: Device) throws

  /// Returns the reason why the port may not be released now; nil if it may.
  func reasonNotToRelease(portOf session: Session) -> String?

  /// Returns the number of readable bytes of the input that were not read. Asked once, at the end.
  func unreadInputCount(of session: Session) -> Int
}
