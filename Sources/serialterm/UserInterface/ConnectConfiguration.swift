import Glibc
import Logs
import Options
import SerialCore
import SessionKit
import SystemPackage
import Telnet
import TerminalFrontEnd

/// Configuration of an interactive session.
struct ConnectConfiguration {
  var session: SessionConfiguration
  /// The name of the profile; nil without one.
  var profile: String?
  /// The options that the configuration file sets, by their keys.
  var configuredKeys: Set<String> = []
  /// The configuration file that was named; nil for the one at its standard place.
  var file: FilePath?
  /// What the command line and the configuration say.
  var given = Given()
  /// The texts that the user can send by name.
  var snippets: [Snippet] = []
  /// The line sequences that the user can play by name.
  var sequences: [NamedSequence] = []
  let echoesLocally: Bool
  let isReadOnly: Bool
  let editsLines: Bool
  /// What Enter sends.
  let lineEnding: LineEnding
  let view: ViewSettings
  /// The shell command that filters the shown bytes.
  let filter: String?
  let showsStatus: Bool
  /// How much of what the device sent is kept to be searched, in bytes; 0 for nothing.
  let scrollbackCapacity: Int
  /// The folder for files that the device offers, which are received without asking; nil to be asked.
  let autoReceiveFolder: FilePath?
  /// Whether lists are printed with numbers although the terminal could draw them.
  let printsLists: Bool
  let prefix: PrefixKey
  let escape: EscapeKey
  /// The time to wait for an answer after the end of standard input.
  let linger: Duration
  /// The longest time to wait for unsent bytes when the user quits, and before the port is released;
  /// nil for the default of each.
  let drain: Duration?
  /// The signal that releases the port, and reopens it.
  let releaseSignal: ReleaseSignal?
  /// The user's name, for others who join the session; nil for ``SessionKit/UserName/own``.
  var userName: String?
  /// Who may write, if others join the session.
  var writers = Roster.Rule.one
  /// Where clients connect.
  var entrances: [PortServer.Entrance] = []
  /// What holds for clients.
  var servingRules = PortServer.Rules()

  /// The same for one more device, with those logs that several devices can have.
  ///
  /// - Parameters:
  ///   - shared: the names of the logs that the other devices share.
  ///   - owned: the names of the logs of other devices.
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

  /// serialterm promises to end within 500 ms of the quit key.
  var quitDrain: Duration { drain ?? .milliseconds(300) }
  var releaseDrain: Duration { drain ?? .seconds(1) }

  /// How the user reopens a released port, in words.
  var wayBack: String? {
    guard prefix == .none else { return "\(prefix) \(Command.release.key ?? " ")" }
    return releaseSignal.map { "'kill -\($0.rawValue.uppercased()) \(getpid())'" }
  }
}
