/// The bytes that Enter sends.
package enum LineEnding: String, CaseIterable, Sendable {
  case cr, lf, crlf

  package var bytes: [UInt8] {
    switch self {
    case .cr: [UInt8(ascii: "\r")]
    case .lf: [UInt8(ascii: "\n")]
    case .crlf: Array("\r\n".utf8)
    }
  }
}
