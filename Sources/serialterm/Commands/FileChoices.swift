import Glibc
import Posix
import SystemPackage
import TerminalWidgets
import TextTools

/// The choices for a path that is being typed: the entries of the folder that the typed
/// part leads to.
///
/// The value contains only what the choices depend on, so equal values have equal choices.
struct FileChoices: Hashable {
  /// The typed path up to its last slash.
  let folder: String
  /// Whether hidden names are listed, because the typed name begins with a dot.
  private let showsHidden: Bool
  /// Whether no name is typed yet.
  private let isNameEmpty: Bool
  /// The prefix that names must have in a folder with too many entries.
  private let prefix: String

  /// The maximum number of listed files.
  static let limit = 2_000

  /// - Parameters:
  ///   - typed: the path typed so far.
  ///   - contents: the contents of its folder; nil while they are being read.
  init(for typed: String, in contents: FolderContents?) {
    folder = Self.folder(of: typed)
    let name = String(typed.dropFirst(folder.count))
    showsHidden = name.hasPrefix(".")
    isNameEmpty = name.isEmpty
    let isWhole = contents.map { $0.entries.count <= Self.limit && $0.leftOutCount == 0 } ?? true
    prefix = isWhole ? "" : name
  }

  /// The folder part of a path: everything up to the last slash.
  static func folder(of typed: String) -> String {
    typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
  }

  /// The meaning of a choice.
  enum Answer: Hashable {
    /// A folder: the question continues with this path.
    case folder(String)
    /// A file, with its path as a user types it.
    case file(String)
    /// A file whose name is not UTF-8, in a folder as a user types it.
    case bytes(folder: String, name: [UInt8])
    /// A note, not a file.
    case none
  }

  /// The choices, sorted by name. The parent folder comes first, so that Enter alone sends no file.
  /// In a folder with too many entries, only names that begin with the typed text are listed.
  func choices(in contents: FolderContents?) -> [Choice<Answer>] {
    func note(_ title: String, _ reason: String) -> Choice<Answer> {
      Choice(id: .none, title: title, refusal: reason)
    }
    let place = folder.isEmpty ? "./" : folder
    guard let contents else { return [note(place, "reading the folder")] }
    if let error = contents.error { return [note(place, "\(error)")] }

    let entries = contents.entries
    let hidden = entries.range(ofNamesWithPrefix: ".")
    let parts =
      showsHidden
      ? [entries[...]] : [entries[..<hidden.lowerBound], entries[hidden.upperBound...]]
    let count = parts.reduce(0) { $0 + $1.count }
    let listed =
      prefix.isEmpty
      ? Array(parts.joined().prefix(Self.limit))
      : Array(entries[entries.range(ofNamesWithPrefix: prefix)].prefix(Self.limit))
    let rest = count - listed.count + contents.leftOutCount
    let end =
      rest == 0
      ? [] : [note("\(folder)\(prefix)...", "\(rest.grouped) more: type how the name begins")]
    return (isNameEmpty ? [parent].compactMap(\.self) : []) + listed.map(choice) + end
  }

  private func choice(for entry: FolderContents.Entry) -> Choice<Answer> {
    let name = folder + entry.name
    let slash = entry.isFolder ? "/" : ""
    return Choice(
      id: entry.bytes.map { .bytes(folder: folder, name: $0) }
        ?? (entry.isFolder ? .folder(name + slash) : .file(name)),
      title: name + slash, name: name, detail: entry.isFolder ? "folder" : "")
  }

  /// The choice that leads to the parent folder.
  private var parent: Choice<Answer>? {
    let names = folder.split(separator: "/")
    guard !folder.hasPrefix("/") || !names.isEmpty else { return nil }
    let isUnknown = names.last.map { $0 == ".." || $0.hasPrefix("~") } ?? true
    let path =
      isUnknown
      ? folder + "../" : String(folder.dropLast().reversed().drop { $0 != "/" }.reversed())
    return Choice(id: .folder(path), title: folder + "../", detail: "folder")
  }

  // MARK: Answers

  /// The path with which the question continues after the choice of a folder; nil for a file.
  static func continuation(_ answer: Answer) -> String? {
    guard case .folder(let path) = answer else { return nil }
    return path
  }

  /// The file that an answer names; nil for a note.
  ///
  /// - Parameter base: the folder that relative paths start from.
  static func path(of answer: Answer, in base: FilePath = ".") -> FilePath? {
    switch answer {
    case .folder(let path), .file(let path): return Self.path(of: path, in: base)
    case .bytes(let folder, let bytes):
      let name = (bytes + [0]).map(CChar.init(bitPattern:))
      return Self.path(of: folder, in: base)
        .pushing(name.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) })
    case .none: return nil
    }
  }

  /// Expands a typed path. A leading `~/` stands for the user's home folder, `~NAME/`
  /// for another user's.
  ///
  /// - Parameter base: the folder that relative paths start from.
  static func path(of path: String, in base: FilePath = ".") -> FilePath {
    let plain = base == "." && !path.isEmpty ? FilePath(path) : base.pushing(FilePath(path))
    guard path.hasPrefix("~") else { return plain }
    let user = String(path.dropFirst().prefix { $0 != "/" })
    let home =
      user.isEmpty ? getenv("HOME").map { String(cString: $0) } : AccountName.home(of: user)
    guard let home else { return plain }
    return FilePath(home).pushing(FilePath(String(path.drop { $0 != "/" }.drop { $0 == "/" })))
  }
}

extension [FolderContents.Entry] {
  /// The range of the entries whose names begin with a text. They are adjacent.
  fileprivate func range(ofNamesWithPrefix prefix: String) -> Range<Int> {
    let start = firstPlace { $0.name >= prefix }
    let end = firstPlace { $0.name >= prefix && !$0.name.hasPrefix(prefix) }
    return start..<Swift.max(start, end)
  }

  /// The first index at which a condition holds. The condition must hold for all
  /// later elements too.
  private func firstPlace(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
