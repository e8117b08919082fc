import Glibc
import Options
import Posix
import SystemPackage

/// A file for a report.
///
/// It is emptied at the start, so that an earlier report is not mistaken for that of a
/// run that crashed.
final class ReportFile {
  /// The formats.
  enum Format: String, CaseIterable {
    case junit, json
  }

  /// A format and a file: `junit=report.xml`.
  struct Name: Hashable {
    let format: Format
    let path: FilePath

    /// Parses `FORMAT=FILE`.
    ///
    /// - Throws: `ValueError`.
    init(parsing text: String) throws(ValueError) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let format = Format(rawValue: String(parts[0])), !parts[1].isEmpty
      else { throw ValueError(text, expected: "junit=FILE or json=FILE") }
      self.format = format
      path = FilePath(String(parts[1]))
    }
  }

  private let name: Name
  private let file: OwnedDescriptor

  /// Creates the file, or empties it.
  ///
  /// - Throws: ``Failure``.
  init(_ name: Name) throws(Failure) {
    self.name = name
    do {
      file = try OwnedDescriptor.open(
        name.path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK,
        permissions: 0o666)
    } catch {
      throw Failure(.otherFailure, "--report \(name.path): \(error).")
    }
  }

  /// Writes the report.
  ///
  /// - Throws: ``Failure``.
  func write(_ report: RunReport) throws(Failure) {
    let text =
      switch name.format {
      case .junit: report.junit
      case .json: "\(report.json)\n"
      }
    var bytes = Array(text.utf8)[...]
    do {
      while !bytes.isEmpty {
        let count = try systemCall {
          bytes.withUnsafeBytes {
            Glibc.write(file.borrowed.rawValue, $0.baseAddress, $0.count)
          }
        }
        bytes = bytes.dropFirst(count)
      }
    } catch {
      throw Failure(.otherFailure, "--report \(name.path): \(error).")
    }
  }
}
