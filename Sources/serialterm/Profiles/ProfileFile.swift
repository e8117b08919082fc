import Configuration
import DeviceWatch
import Glibc
import Posix
import SystemPackage

/// The configuration, and the file that it was read from: it is read, and never executes anything.
struct ProfileFile {
  /// Nil where there is no file.
  let path: FilePath?
  let contents: ConfigurationFile

  /// A configuration that was read.
  init(path: FilePath, contents: ConfigurationFile) {
    self.path = path
    self.contents = contents
  }

  /// Where it is unless the user says so: below `$XDG_CONFIG_HOME`, else `~/.config`.
  static var standardPath: FilePath? {
    let folder =
      variable("XDG_CONFIG_HOME").map { FilePath($0) }.flatMap { $0.isAbsolute ? $0 : nil }
      ?? variable("HOME").map { FilePath($0).appending(".config") }
    return folder?.appending("serialterm").appending("config.toml")
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads a file.
  ///
  /// - Parameter path: nil for the standard place, where there need not be one.
  /// - Throws: ``Failure`` as `file:line: what`.
  init(_ path: FilePath?) throws(Failure) {
    guard let place = path ?? Self.standardPath else {
      (self.path, contents) = (nil, ConfigurationFile())
      return
    }
    let document: [UInt8]
    do throws(Errno) {
      document = try Self.read(place)
    } catch {
      guard path == nil, Self.isInvisible(place) else {
        // No line was reached, not even the first; scripts look for a line number all the same.
        let what = error == .invalidArgument ? "not a file" : "\(error)"
        throw Failure(.usage, "\(place):1: \(what)")
      }
      (self.path, contents) = (nil, ConfigurationFile())
      return
    }
    do throws(ConfigurationError) {
      contents = try ConfigurationFile(parsing: document, check: Self.complaint)
    } catch {
      throw Failure(.usage, "\(place):\(error)")
    }
    self.path = place
  }

  /// Whether there is nothing to see at a path: also where a folder above it is closed to us, as
  /// the home that sudo(8) may leave to another user.
  private static func isInvisible(_ path: FilePath) -> Bool {
    do throws(Errno) {
      _ = try path.stat()
      return false
    } catch {
      return [.noSuchFileOrDirectory, .notDirectory, .permissionDenied].contains(error)
    }
  }

  private static func read(_ path: FilePath) throws(Errno) -> [UInt8] {
    // O_NONBLOCK: a named pipe would keep us waiting for a writer.
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
    // One byte too many is enough to be refused.
    while document.count <= TOMLReader.largestDocument,
      case .bytes(let count) = try file.borrowed.readAvailable(into: piece)
    {
      document += piece[..<count]
    }
    return document
  }

  /// What is wrong with an entry, without knowing the command that it is for.
  private static func complaint(about entry: Entry, isDefault: Bool) -> String? {
    switch (entry.key, entry.value) {
    case ("target", .string(let text)):
      do { _ = try Target(parsing: text) } catch { return "\(error)" }
      return nil
    case ("target", _): return "'target' is \(entry.value.kindName): expected a string"
    case ("match", _) where isDefault: return "'match' belongs to a profile"
    case ("match", _): return ProfileMatch.complaint(about: entry.value)
    default: break
    }
    guard let key = ProfileKey(named: entry.key) else {
      return "'\(entry.key)' is no key: expected the long name of an option, as 'baud'"
    }
    return key.arguments(for: entry.value) == nil
      ? "'\(entry.key)' is \(entry.value.kindName): expected \(key.expected)" : nil
  }
}
