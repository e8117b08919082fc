import SystemPackage
import Terminal
import TerminalWidgets

/// The files that keep what the user typed and ran, for all sessions of the user.
final class UserHistories {
  private let folder: FilePath?
  private var palette: HistoryFile

  /// - Parameter folder: the state folder of the user; nil for none, which keeps nothing.
  init(in folder: FilePath?) {
    self.folder = folder
    palette = HistoryFile(of: .palette, in: folder)
  }

  /// The file of the typed lines.
  ///
  /// - Parameter profile: nil for sessions without a profile.
  func lines(ofProfile profile: String?) -> HistoryFile {
    HistoryFile(of: .lines(ofProfile: profile), in: folder)
  }

  /// The names of the commands that were run from the palette last, the latest first. Other
  /// sessions may have added some.
  var usedCommands: [String] {
    palette.load().lines.reversed().reduce(into: []) { names, name in
      if names.count < Self.usedLimit, !names.contains(name) { names.append(name) }
    }
  }

  /// More than the palette shows first, because some may be unknown or not in its list.
  private static let usedLimit = 20

  /// Keeps the name of a command that is run from the palette.
  func note(_ command: Command) { palette.append(command.name) }
}
