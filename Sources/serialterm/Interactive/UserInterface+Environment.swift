import DeviceWatch
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import Time

extension UserInterface {
  /// A port to open, and its configuration.
  struct PortRequest {
    let configuration: ConnectConfiguration
    /// Returns the configuration once the device is known; nil if it does not depend on the device.
    let forDevice: ((Device) throws -> ConnectConfiguration)?
  }

  /// The environment of the program, besides its devices.
  struct Environment {
    /// The user's streams.
    var streams = TerminalStreams.standard
    /// The terminal at which the user types; nil if the input is not a terminal.
    var terminal: (any TerminalMode)? = UserTerminal(
      draws: TerminalStreams.standard.screenKind == .drawing)
    /// The known kinds of endpoints.
    var providers = LinkProviders.standard
    /// The folder of the histories; nil for none.
    var historyFolder = HistoryFile.stateFolder()
    /// The clock for the timers.
    var clock: () -> MonotonicTime = { .now }
  }
}
