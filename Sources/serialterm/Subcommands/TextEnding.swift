import ArgumentParser
import TerminalFrontEnd

extension LineEnding: NamedChoice {}

/// The bytes that `send` adds to a TEXT.
enum TextEnding: String, NamedChoice {
  case none, cr, lf, crlf

  var bytes: [UInt8] { LineEnding(rawValue: rawValue)?.bytes ?? [] }
}
