/// The bytes that Enter sends.
package enum LineEnding: String, CaseIterable, Sendable {
  case cr, lf, crlf

  package var bytes: [UInt8] {
    switch self {
    case .cr: [0x0D]
    case .lf: [0x0A]
    case .crlf: [0x0D, 0x0A]
    }
  }
}
