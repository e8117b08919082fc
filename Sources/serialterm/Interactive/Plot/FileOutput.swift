import Glibc
import Posix
import SystemPackage
import Terminal
import TextTools

/// A file that a command makes from other files, or standard output.
///
/// A regular file gets its name when it is complete, and replaces an old one: the user was asked
/// before. Devices and pipes are written to as they are.
final class FileOutput {
  private let path: String
  private let kind: Kind

  private enum Kind {
    case standardOutput
    case special(Special)
    case file(DraftFile)
  }

  /// A device or a pipe.
  private final class Special {
    let file: OwnedDescriptor
    init(_ path: FilePath) throws(Errno) {
      file = try OwnedDescriptor.open(path, O_WRONLY | O_NOCTTY)
    }
  }

  /// Opens a file.
  ///
  /// - Parameter path: the path; `-` for standard output.
  /// - Throws: ``Failure``.
  init(_ path: String) throws(Failure) {
    self.path = path
    guard path != "-" else {
      kind = .standardOutput
      return
    }
    do throws(Errno) {
      let type = try? FilePath(path).stat().type
      if type == .directory { throw .isDirectory }
      kind =
        type == nil || type == .regular
        ? .file(try DraftFile(of: FilePath(path).realPath ?? FilePath(path), permissions: 0o666))
        : .special(try Special(FilePath(path)))
    } catch {
      throw Failure(writing: path, error)
    }
  }

  private var descriptor: FileDescriptor {
    switch kind {
    case .standardOutput: .standardOutput
    case .special(let special): special.file.borrowed
    case .file(let draft): draft.descriptor
    }
  }

  /// Writes bytes.
  ///
  /// - Throws: ``Failure``.
  func write(_ bytes: [UInt8]) throws(Failure) {
    do throws(Errno) {
      try FileWrite.writeAll(bytes, to: descriptor)
    } catch {
      if case .standardOutput = kind { throw Failure(outputGone: error) }
      throw Failure(writing: path, error)
    }
  }

  /// Gives the file its name. Without this call, nothing is left of it.
  ///
  /// - Throws: ``Failure``.
  func finish() throws(Failure) {
    guard case .file(let draft) = kind else { return }
    do throws(Errno) {
      _ = try draft.publish(replacing: true)
    } catch {
      throw Failure(writing: path, error)
    }
  }

  /// Whether a file may be written: it does not exist, or the user at the terminal allows
  /// to replace it.
  ///
  /// - Parameter option: the name of the option that names the file.
  /// - Throws: ``Failure`` if it exists and there is no user to ask.
  static func mayWrite(_ path: String, for option: String) throws(Failure) -> Bool {
    guard path != "-", (try? FilePath(path).stat().type) == .regular else { return true }
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardError.isTerminal else {
      throw Failure(
        .otherFailure,
        "\(path.harmless) exists already; --\(option) replaces no file. Remove it, or name another one."
      )
    }
    while true {
      StandardStream.error.print(
        "\(path.harmless) exists already. Replace it? [y/N] ", within: .milliseconds(200))
      switch readLine()?.lowercased() {
      case "y", "yes": return true
      case "n", "no", "", nil:
        StandardStream.complain("\(path.harmless) was left alone; nothing was plotted.")
        return false
      case let answer?: StandardStream.complain("'\(answer.harmless)': expected y or n.")
      }
    }
  }
}

extension Failure {
  /// The failure of writing a file that an option names.
  fileprivate init(writing path: String, _ error: Errno) {
    if let kind = FilePath(path).specialKind(), error == .isDirectory || error == .invalidArgument {
      self.init(.otherFailure, "\(path.harmless) is \(kind).")
    } else {
      self.init(.otherFailure, "\(path.harmless): cannot be written (\(error)).")
    }
  }
}
