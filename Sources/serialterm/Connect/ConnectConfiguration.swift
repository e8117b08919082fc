import SerialCore
import SystemPackage

/// What a session was asked to be.
struct ConnectConfiguration {
  /// Nil: the one device that there is.
  let target: Target?
  let settings: LineSettings
  let isExclusive: Bool
  let reconnects: Bool
  let waitsForAbsentDevice: Bool
  let echoesLocally: Bool
  let isReadOnly: Bool
  /// Where to keep what is received.
  let log: FilePath?
  let appendsToLog: Bool
  let prefix: PrefixKey
  /// How long to wait for an answer when standard input has ended.
  let linger: Duration
  /// How long the device may take for what is left to send when the user quits.
  let drain: Duration
  let isQuiet: Bool
}
