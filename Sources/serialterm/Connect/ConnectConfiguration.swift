import SerialCore

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
  let prefix: PrefixKey
  /// How long to wait for an answer when standard input has ended.
  let linger: Duration
  let isQuiet: Bool
}
