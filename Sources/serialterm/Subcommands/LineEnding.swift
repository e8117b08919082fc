import ArgumentParser

/// What ends a line that is sent.
enum LineEnding: String, NamedChoice {
  case none, cr, lf, crlf

  var bytes: [UInt8] {
    switch self {
    case .none: []
    case .cr: [0x0D]
    case .lf: [0x0A]
    case .crlf: [0x0D, 0x0A]
    }
  }
}
