import ArgumentParser

/// The bytes that Enter sends.
enum LineEnding: String, NamedChoice {
  case cr, lf, crlf

  var bytes: [UInt8] {
    switch self {
    case .cr: [0x0D]
    case .lf: [0x0A]
    case .crlf: [0x0D, 0x0A]
    }
  }
}

/// The bytes that `send` adds to a TEXT.
enum TextEnding: String, NamedChoice {
  case none, cr, lf, crlf

  var bytes: [UInt8] { LineEnding(rawValue: rawValue)?.bytes ?? [] }
}
