import Configuration
import DeviceWatch
import Glibc
import Options
import Posix
import Sessions
import SystemPackage

/// The configuration, and the file that it was read from. Nothing in it is ever executed.
struct ProfileFile {
  /// The path of the file; nil if there is none.
  let path: FilePath?
  let contents: ConfigurationFile

  /// Creates a configuration from its contents.
  init(path: FilePath, contents: ConfigurationFile) {
    self.path = path
    self.contents = contents
  }

  /// The default path: below `$XDG_CONFIG_HOME`, otherwise below `~/.config`.
  static var standardPath: FilePath? {
    let folder = configurationFolder
    return folder?.appending("serialterm").appending("config.toml")
  }

  /// The folder of configurations: `$XDG_CONFIG_HOME`, otherwise `~/.config`; nil if
  /// neither is known.
  static var configurationFolder: FilePath? {
    variable("XDG_CONFIG_HOME").map { FilePath($0) }.flatMap { $0.isAbsolute ? $0 : nil }
      ?? home?.appending(".config")
  }

  /// The user's home folder; nil if it is not known.
  static var home: FilePath? { variable("HOME").map { FilePath($0) } }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads a configuration file.
  ///
  /// - Parameter path: the file; nil for the default path, where the file may be missing.
  /// - Throws: ``Failure`` with a message of the form `file:line: mistake`.
  init(_ path: FilePath?) throws(Failure) {
    guard let place = path ?? Self.standardPath else {
      (self.path, contents) = (nil, ConfigurationFile())
      return
    }
    let document: [UInt8]
    do throws(Errno) {
      document = try Self.document(at: place)
    } catch {
      guard path == nil, Self.isInvisible(place) else {
        // No line was read, but programs that parse the message expect a line number.
        let missing = "there is no such file; 'serialterm profile save' can make one"
        let what =
          place.specialKind().map { "it is \($0)" }
          ?? (error == .noSuchFileOrDirectory ? missing : "\(error)")
        throw Failure(.usage, "\(place):1: \(what)")
      }
      (self.path, contents) = (nil, ConfigurationFile())
      return
    }
    do throws(ConfigurationError) {
      contents = try ConfigurationFile(parsing: document, check: Self.check)
      let keyed = Snippet.withKeys(contents.defaults)
      for profile in contents.profiles {
        try Snippet.check(ProfileChoice.merge(keyed, profile.entries))
      }
    } catch {
      throw Failure(.usage, "\(place):\(error)")
    }
    self.path = place
  }

  /// Whether a file does not exist or cannot be reached: sudo(8) can leave HOME set to a folder
  /// that the new user cannot search.
  private static func isInvisible(_ path: FilePath) -> Bool {
    do throws(Errno) {
      _ = try path.stat()
      return false
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory || error == .permissionDenied
    }
  }

  /// Reads a file, at most one byte more than the limit.
  static func document(at path: FilePath) throws(Errno) -> [UInt8] {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    switch try file.borrowed.stat().type {
    case .directory: throw .isDirectory
    case .regular: break
    case let type where type == .characterSpecial && path == "/dev/null": break
    default: throw .invalidArgument
    }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { piece.deallocate() }
    var document: [UInt8] = []
    // One byte over the limit is enough to refuse the file.
    while document.count <= TOMLReader.largestDocument,
      case .bytes(let count) = try file.borrowed.readAvailable(into: piece)
    {
      document += piece[..<count]
    }
    return document
  }

  /// Checks an entry of `[default]` or of a profile.
  ///
  /// - Throws: `ConfigurationError` with the line of the mistake.
  static func check(_ entry: Entry, isDefault: Bool) throws(ConfigurationError) {
    switch entry.key {
    case Snippet.tableName: return try Snippet.check([entry])
    case NamedSequence.tableName: return try NamedSequence.check([entry])
    default: break
    }
    if let complaint = complaint(about: entry, isDefault: isDefault) {
      throw ConfigurationError(line: entry.line, complaint)
    }
  }

  /// Checks the key of a setting and the type of its value, by the rules for all commands.
  ///
  /// - Returns: a description of the mistake; nil if there is none.
  static func complaint(about entry: Entry, isDefault: Bool) -> String? {
    switch (entry.key, entry.value) {
    case ("target", .string(let text)):
      do { _ = try Target(parsing: text) } catch { return "\(error)" }
      return nil
    case ("target", .array(let values)):
      for value in values {
        guard case .string(let text) = value else {
          return "'target' contains \(value.kindName): expected strings"
        }
        do { _ = try Target(parsing: text) } catch { return "\(error)" }
      }
      return values.isEmpty ? "'target' is empty" : nil
    case ("target", _):
      return "'target' is \(entry.value.kindName): expected a string, or an array of strings"
    case ("match", _) where isDefault: return "'match' is allowed in a profile only"
    case ("match", _): return ProfileMatch.complaint(about: entry.value)
    default: break
    }
    for command in Subcommands.profiled {
      guard let declaration = command.description.declarations.configurable(entry.key) else {
        continue
      }
      return declaration.texts(of: entry.value, key: entry.key) == nil
        ? "'\(entry.key)' is \(entry.value.kindName): expected \(declaration.expectedValue)" : nil
    }
    let options = Subcommands.profiled.flatMap { $0.description.declarations }
    if options.contains(where: { !$0.isArgument && $0.name == entry.key }) {
      return "'\(entry.key)' is for the command line only"
    }
    if let name = FormerNames.presentName(ofKey: entry.key) {
      return "'\(entry.key)' is now '\(name)'"
    }
    return "unknown key '\(entry.key)': "
      + (UsageAdvice.key(meantBy: entry.key).map { "did you mean '\($0)'?" }
        ?? "expected the long name of an option, such as 'baud'")
  }
}
