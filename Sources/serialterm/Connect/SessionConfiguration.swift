import SerialCore

/// What a session with a device is to be, whoever sits at it.
struct SessionConfiguration {
  /// Nil: the one device that there is.
  let target: Target?
  let settings: LineSettings
  let linkOptions: LinkOptions
  /// What to do with the lines whenever the port is open.
  let onOpen: LineSequence?
  /// Whether a device that goes away is waited for.
  let reconnects: Bool
  let waitsForAbsentDevice: Bool
  let pacing: Pacing
  let log: LogConfiguration
  let isQuiet: Bool
}
