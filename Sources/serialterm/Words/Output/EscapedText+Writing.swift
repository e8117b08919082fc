import Dialogues
import TextTools

extension EscapedText {
  /// Encodes bytes as one line of text that a terminal can show. `bytes(of:)` decodes it. Bytes
  /// that cannot be shown as they are become escapes.
  static func text(of bytes: some Collection<UInt8>) -> String {
    var rest = Array(bytes)[...]
    var text = ""
    while let byte = rest.first {
      if let scalar = firstScalar(of: rest), scalar.isShownAsItself {
        text += scalar == "\\" ? #"\\"# : String(scalar)
        rest = rest.dropFirst(String(scalar).utf8.count)
      } else {
        text += escape(byte)
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The same in quotation marks. Those in the bytes become escapes, so that none of them ends
  /// the quotation.
  static func quoted(_ bytes: some Collection<UInt8>) -> String {
    "\"" + text(of: bytes).replacing(text: "\"", with: #"\""#) + "\""
  }

  /// The Unicode scalar at the beginning of the bytes; nil if that is not UTF-8.
  private static func firstScalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    // The number of leading ones in the first byte is the length, if that is more than one byte.
    let length = max(1, (~(bytes.first ?? 0)).leadingZeroBitCount)
    return String(validating: bytes.prefix(length), as: UTF8.self)?.unicodeScalars.first
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\r"): return #"\r"#
    case UInt8(ascii: "\n"): return #"\n"#
    case UInt8(ascii: "\t"): return #"\t"#
    case 0x1B: return #"\e"#
    default:
      let digits = String(byte, radix: 16)
      return #"\x"# + (digits.utf8.count == 1 ? "0" : "") + digits
    }
  }
}
