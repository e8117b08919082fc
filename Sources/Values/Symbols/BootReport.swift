/// What a firmware says at its start or in a panic about the ELF file that it was made of.
public enum BootReport: Hashable, Sendable {
  /// The beginning of the SHA-256 of the file, in lower-case hexadecimal digits (ESP-IDF).
  case sha256(String)
  /// The beginning of the GNU build ID, in the same form.
  case buildID(String)

  private static let sha256Mark = Array("ELF file SHA256:".utf8)
  private static let buildIDMark = Array("build id".utf8)

  /// Finds a report in a line.
  ///
  /// - Returns: nil if there is none, which costs a comparison for each byte.
  public init?(in line: some RandomAccessCollection<UInt8>) {
    let line = Array(line.prefix(512))
    for index in line.indices {
      switch line[index] {
      case 0x45 where line[index...].starts(with: Self.sha256Mark):
        guard let digits = Self.digits(line, after: index + Self.sha256Mark.count, 8...64)
        else { return nil }
        self = .sha256(digits)
        return
      case 0x42, 0x62:
        let word = line[index...].prefix(Self.buildIDMark.count)
        // "build-id" and "Build ID" are the same.
        let same = word.map { $0 == 0x2D || $0 == 0x5F ? 0x20 : $0 | 0x20 }
        guard same == Self.buildIDMark else { continue }
        guard let digits = Self.digits(line, after: index + word.count, 16...128) else { continue }
        self = .buildID(digits)
        return
      default: continue
      }
    }
    return nil
  }

  /// The hexadecimal digits that follow, after a sign and spaces.
  private static func digits(
    _ line: [UInt8], after start: Int, _ counts: ClosedRange<Int>
  ) -> String? {
    let rest = line[start...].drop { [0x20, 0x09, 0x3A, 0x3D].contains($0) }
    let digits = rest.prefix { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
      default: false
      }
    }
    guard counts.contains(digits.count) else { return nil }
    return String(decoding: digits.map { $0 < 0x40 ? $0 : $0 | 0x20 }, as: UTF8.self)
  }

  /// Whether a number in bytes begins with the reported digits.
  public func fits(_ bytes: [UInt8]) -> Bool {
    let digits =
      switch self {
      case .sha256(let digits), .buildID(let digits): digits
      }
    return Self.hexadecimal(bytes).hasPrefix(digits)
  }

  /// Bytes as lower-case digits.
  public static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
