import DeviceWatch
import Glibc
import Posix
import SystemPackage
import TerminalUI

/// The files to choose from: those of a folder, and of the one that what is typed leads to.
enum FileChoices {
  /// How many files are listed: more than anybody looks through.
  static let limit = 2_000

  /// The entries of the folder, by name; folders end in a slash. Names that begin with a dot are
  /// left out unless one is typed. Of too many, those are listed that what is typed can mean; a
  /// folder that cannot be read says so.
  static func choices(typed: String, in folder: FilePath) -> [Choice<String>] {
    let typedFolder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let typedName = typed.dropFirst(typedFolder.count)
    let shown =
      typedFolder.hasPrefix("/") ? FilePath(typedFolder) : folder.pushing(FilePath(typedFolder))
    if let reason = refusal(of: shown) {
      return [Choice(id: shown.string, title: typed.isEmpty ? "\(shown)" : typed, refusal: reason)]
    }
    let names = shown.entryNames()
      .filter { typedName.hasPrefix(".") || !$0.hasPrefix(".") }
      .sorted { $0 < $1 }
    // A query finds names that have its characters in their order; these are enough to look at.
    let listed = names.count > limit ? names.filter { $0.hasPrefix(typedName) } : names
    let choices = listed.prefix(limit).map { name in
      let path = shown.appending(name)
      let isFolder = (try? path.stat().type) == .directory
      return Choice(
        id: path.string, title: typedFolder + name + (isFolder ? "/" : ""),
        detail: isFolder ? "folder" : "")
    }
    guard choices.count < names.count else { return choices }
    let rest = names.count - choices.count
    return choices + [
      Choice(
        id: "", title: "\(typed)...", refusal: "\(rest.grouped) more: type how the name begins")
    ]
  }

  /// Why a folder has nothing to choose from; nil when it can be read.
  private static func refusal(of folder: FilePath) -> String? {
    do {
      _ = try OwnedDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
