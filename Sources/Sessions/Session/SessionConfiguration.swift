package import SerialCore

/// Configuration of a session, interactive or scripted.
package struct SessionConfiguration {
  /// The target; nil for the only device that is present.
  package var target: Target?
  package let settings: LineSettings
  package let linkOptions: LinkOptions
  /// The line sequence to play whenever the port is opened.
  package let onOpen: LineSequence?
  /// Whether to wait for a lost device.
  package let reconnects: Bool
  package let waitsForAbsentDevice: Bool
  package let pacing: Pacing
  package var log: LogConfiguration
  /// The name of the profile that applies, for those who join; empty without one. Nil if the
  /// program has not chosen one.
  package var profile: String?
  /// Whether the front end reports only failures to the user.
  package let isQuiet: Bool

  package init(
    target: Target? = nil, settings: LineSettings, linkOptions: LinkOptions, onOpen: LineSequence?,
    reconnects: Bool, waitsForAbsentDevice: Bool, pacing: Pacing, log: LogConfiguration,
    isQuiet: Bool
  ) {
    self.target = target
    self.settings = settings
    self.linkOptions = linkOptions
    self.onOpen = onOpen
    self.reconnects = reconnects
    self.waitsForAbsentDevice = waitsForAbsentDevice
    self.pacing = pacing
    self.log = log
    self.isQuiet = isQuiet
  }
}
