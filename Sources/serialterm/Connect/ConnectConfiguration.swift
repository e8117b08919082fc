import Glibc

/// What a session was asked to be that a user may sit at.
struct ConnectConfiguration {
  let session: SessionConfiguration
  /// The profile that holds; nil if none does.
  let profile: String?
  let echoesLocally: Bool
  let isReadOnly: Bool
  let editsLines: Bool
  let view: ViewSettings
  /// The shell command that what is shown passes.
  let filter: String?
  let showsStatus: Bool
  let prefix: PrefixKey
  /// How long to wait for an answer when standard input has ended.
  let linger: Duration
  /// How long the device may take for what is left to send when the user quits.
  let drain: Duration
  /// The signal that releases the port, and takes it back.
  let releaseSignal: ReleaseSignal?

  /// What the user has to do to take a released port back, in words.
  var wayBack: String? {
    guard prefix == .none else { return "\(prefix) \(Command.release.entry.key ?? " ")" }
    return releaseSignal.map { "'kill -\($0.rawValue.uppercased()) \(getpid())'" }
  }
}
