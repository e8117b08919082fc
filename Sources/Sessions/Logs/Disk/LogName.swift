import Glibc
package import SystemPackage

/// The name of a log file, with placeholders for the time and the port.
///
/// `%Y`, `%m`, `%d`, `%H` and all others of strftime(3) stand for the local time at which the file
/// is started, `%t` for the port (`ttyUSB0`), and `%%` for a percent sign.
public struct LogName: Hashable, Sendable {
  private let text: String
  private let port: String

  /// Creates a name.
  ///
  /// - Parameters:
  ///   - text: the path, as the user gave it.
  ///   - port: the replacement for `%t`. Slashes in it become dashes.
  public init(_ text: String, port: String) {
    self.text = text
    self.port = String(port.map { $0 == "/" ? "-" : $0 })
  }

  /// Whether a name contains the placeholder of the port.
  public static func hasPlaceForPort(_ text: String) -> Bool {
    LogName(text, port: "a").path(at: 0) != LogName(text, port: "b").path(at: 0)
  }

  /// The path now.
  package var currentPath: FilePath { path(at: time(nil)) }

  /// The path at a time.
  ///
  /// - Parameter second: the time in seconds since 1970.
  func path(at second: Int) -> FilePath {
    guard text.contains("%") else { return FilePath(text) }
    var time = second
    var fields = tm()
    localtime_r(&time, &fields)
    var result = ""
    var rest = text[...]
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[percent...].dropFirst()
      // Flags of glibc, a width, and POSIX modifiers.
      let modifiers = rest.prefix { "_-0^#123456789EO".contains($0) }
      rest = rest.dropFirst(modifiers.count)
      guard let letter = rest.popFirst() else {
        result += "%\(modifiers)"
        break
      }
      let isPort = letter == "t" && modifiers.isEmpty
      result += isPort ? port : Self.format("%\(modifiers)\(letter)", &fields)
    }
    return FilePath(result + rest)
  }

  private static func format(_ format: String, _ fields: inout tm) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      let count = strftime(buffer.baseAddress!, buffer.count, format, &fields)
      return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
