import Glibc
import PlainText
import Posix
import SystemPackage
import TerminalFrontEnd

/// A file that a command makes from other files, or standard output. A file that exists is replaced.
final class FileOutput {
  private let path: String
  /// Nil for standard output.
  private let file: OwnedDescriptor?
  private let descriptor: FileDescriptor
  private let isStandardOutput: Bool

  /// Opens a file.
  ///
  /// - Parameter path: the path; `-` for standard output.
  /// - Throws: ``Failure``.
  init(_ path: String) throws(Failure) {
    self.path = path
    isStandardOutput = path == "-"
    guard !isStandardOutput else {
      file = nil
      descriptor = .standardOutput
      return
    }
    do throws(Errno) {
      let opened = try OwnedDescriptor.open(
        FilePath(path), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, permissions: 0o666)
      descriptor = opened.borrowed
      file = consume opened
    } catch {
      throw Failure(.otherFailure, "\(path.harmless): cannot be written (\(error)).")
    }
  }

  /// Writes bytes.
  ///
  /// - Throws: ``Failure``.
  func write(_ bytes: [UInt8]) throws(Failure) {
    do throws(Errno) {
      try FileWrite.writeAll(bytes, to: descriptor)
    } catch {
      throw isStandardOutput
        ? Failure(outputGone: error)
        : Failure(.otherFailure, "\(path.harmless): cannot be written (\(error)).")
    }
  }
}
