import Terminal

/// The bytes that `send` adds to a TEXT.
enum TextEnding: String, CaseIterable {
  case none, cr, lf, crlf

  var bytes: [UInt8] { LineEnding(rawValue: rawValue)?.bytes ?? [] }
}
