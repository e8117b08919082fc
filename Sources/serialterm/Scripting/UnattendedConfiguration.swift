import SerialCore

/// What a session is to be that no user sits at.
struct UnattendedConfiguration {
  /// Nil: the one device that there is.
  let target: Target?
  let settings: LineSettings
  let linkOptions: LinkOptions
  /// What to do with the lines when the port is open.
  let onOpen: LineSequence?
  /// Whether a device that goes away is waited for.
  let reconnects: Bool
  let waitsForAbsentDevice: Bool
  let pacing: Pacing
  let isQuiet: Bool
}
