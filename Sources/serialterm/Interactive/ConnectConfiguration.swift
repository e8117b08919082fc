import Glibc
import Logs
import Options
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextStages

/// Configuration of an interactive session.
struct ConnectConfiguration {
  var session: SessionConfiguration
  /// The profile whose options, texts and sequences the session has.
  var profile = ProfileInUse()
  /// The options. Each is read where it is used.
  let values: Values
  /// The time to wait for an answer after the end of standard input.
  let linger: Duration
  /// How numbers are plotted.
  var plot = PlotController.Configuration()
  /// The direction of what the port sends, where it is joined with another one; nil otherwise.
  /// Views and logs have the same.
  var lineDirection: Direction? {
    get { session.log.lineDirection }
    set { session.log.lineDirection = newValue }
  }
  /// The ELF files that explain addresses.
  var symbolFiles: [SymbolFile] = []
  /// The command between the device and the screen; nil for none.
  var filterCommand: String?
  /// The rules for clients.
  var servingRules = PortServer.Rules()

  /// Reads which ELF files and which filter the options name.
  ///
  /// - Throws: ``Failure`` if one cannot be used.
  mutating func useSymbols() throws(Failure) {
    symbolFiles = try values.symbolFiles
    filterCommand = try values.filterCommand
  }

  /// The configuration for an additional device, with the logs that several devices can share.
  ///
  /// - Parameters:
  ///   - shared: the names of the logs that the other devices share.
  ///   - owned: the names of the logs that belong to single other devices.
  func additional(
    at endpoint: Endpoint, sharing shared: [String], without owned: [String]
  ) -> ConnectConfiguration {
    var additional = self
    additional.session.target = .endpoint(endpoint)
    additional.session.log.files.removeAll {
      !LogName.hasPlaceForPort($0) && !shared.contains($0) && owned.contains($0)
    }
    return additional
  }

  /// The maximum time to wait for unsent bytes when the user quits, and before the port is
  /// released; nil for the default of each.
  private var drain: Duration? { values[ConnectCommand.drain].map { .seconds($0) } }

  /// The time for unsent bytes when the user quits. serialterm promises to end within 500 ms of
  /// the quit key.
  var quitDrain: Duration { drain ?? .milliseconds(300) }
  var releaseDrain: Duration { drain ?? .seconds(1) }

  /// The folder for files that the device offers, which are received without asking; nil to ask.
  var autoReceiveFolder: FilePath? { values[ConnectCommand.autoReceive].map { FilePath($0) } }

  /// How the user reopens a released port, as text.
  var reopenKeys: String? {
    let prefix = values[KeyboardParameters.prefix]
    guard prefix == .none else { return "\(prefix) \(Command.release.key ?? " ")" }
    return values[ConnectCommand.releaseOn].map {
      "'kill -\($0.rawValue.uppercased()) \(getpid())'"
    }
  }
}
