import Glibc
import Logs
import Options
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal

/// Configuration of an interactive session.
struct ConnectConfiguration {
  var session: SessionConfiguration
  /// The name of the profile; nil without one.
  var profile: String?
  /// The options that the configuration file sets, by their keys.
  var configuredKeys: Set<String> = []
  /// The configuration file that the user named; nil for the default one.
  var file: FilePath?
  /// The values of the command line and the configuration.
  var given = Given()
  /// The texts that the user can send by name.
  var snippets: [Snippet] = []
  /// The line sequences that the user can play by name.
  var sequences: [NamedSequence] = []
  let echoesLocally: Bool
  let isReadOnly: Bool
  let editsLines: Bool
  /// The line ending that Enter sends.
  let lineEnding: LineEnding
  let view: ViewSettings
  /// The shell command that filters the shown bytes.
  let filter: String?
  let showsStatus: Bool
  /// The maximum size of the scrollback in bytes; 0 for none.
  let scrollbackCapacity: Int
  /// The folder for files that the device offers, which are received without asking; nil to ask.
  let autoReceiveFolder: FilePath?
  /// Whether lists are printed with numbers, although the terminal could draw them.
  let printsLists: Bool
  let prefix: PrefixKey
  let escape: EscapeKey
  /// The time to wait for an answer after the end of standard input.
  let linger: Duration
  /// The maximum time to wait for unsent bytes when the user quits, and before the port is released; nil for the
  /// default of each.
  let drain: Duration?
  /// The signal that releases and reopens the port.
  let releaseSignal: ReleaseSignal?
  /// The user's name for other members of the session; nil for ``Sessions/UserName/own``.
  var userName: String?
  /// Who may write if others join the session.
  var writers = Roster.Rule.one
  /// The places where clients connect.
  var entrances: [PortServer.Entrance] = []
  /// How numbers are plotted.
  var plot = PlotController.Configuration()
  /// The rules for clients.
  var servingRules = PortServer.Rules()

  /// The configuration for an additional device, with the logs that several devices can share.
  ///
  /// - Parameters:
  ///   - shared: the names of the logs that the other devices share.
  ///   - owned: the names of the logs that belong to single other devices.
  func further(
    at endpoint: Endpoint, sharing shared: [String], without owned: [String]
  ) -> ConnectConfiguration {
    var further = self
    further.session.target = .endpoint(endpoint)
    further.session.log.files.removeAll {
      !LogName.hasPlaceForPort($0) && !shared.contains($0) && owned.contains($0)
    }
    return further
  }

  /// The time for unsent bytes when the user quits. serialterm promises to end within 500 ms of the quit key.
  var quitDrain: Duration { drain ?? .milliseconds(300) }
  var releaseDrain: Duration { drain ?? .seconds(1) }

  /// How the user reopens a released port, as text.
  var reopenKeys: String? {
    guard prefix == .none else { return "\(prefix) \(Command.release.key ?? " ")" }
    return releaseSignal.map { "'kill -\($0.rawValue.uppercased()) \(getpid())'" }
  }
}
