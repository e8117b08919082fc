import SerialCore
import SessionKit

/// Configuration of a session, interactive or scripted.
struct SessionConfiguration {
  /// The device; nil for the only one that is present.
  var target: Target?
  let settings: LineSettings
  let linkOptions: LinkOptions
  /// The line sequence to play whenever the port is opened.
  let onOpen: LineSequence?
  /// Whether to wait for a lost device.
  let reconnects: Bool
  let waitsForAbsentDevice: Bool
  let pacing: Pacing
  var log: LogConfiguration
  let isQuiet: Bool
}
