/// The description of a file in YMODEM's block 0: the name, a zero byte, the size in decimal
/// digits, the time and the mode in octal digits, separated by spaces. ZMODEM's ZFILE has
/// the same format.
enum FileHeader {
  /// Encodes the header. It ends before the first unknown value.
  ///
  /// - Parameter rest: text after the mode, with its leading space, such as ZMODEM's number
  ///   of remaining files.
  static func encoded(_ file: TransferredFile, rest: String = "") -> [UInt8] {
    var text = ""
    if let size = file.size {
      text = "\(size)"
      if let time = file.modificationTime {
        text += " \(String(max(time, 0), radix: 8))"
        if let mode = file.mode { text += " \(String(mode, radix: 8))\(rest)" }
      }
    }
    return file.name + [0] + Array(text.utf8)
  }

  /// Decodes a header; nil if it has no name, which ends a batch.
  ///
  /// A size that begins with `0x` is hexadecimal, as some boot loaders send it. Values that are not
  /// numbers are unknown, and so is a time of 0; see ``hasMalformedSize(_:)``.
  static func decoded(_ bytes: some Collection<UInt8>) -> TransferredFile? {
    let name = Array(bytes.prefix { $0 != 0 })
    guard !name.isEmpty else { return nil }
    let fields = Self.fields(bytes)
    func number(_ index: Int, radix: Int) -> Int? {
      index < fields.count ? Self.number(fields[index], radix: radix) : nil
    }
    return TransferredFile(
      name: name, size: number(0, radix: 10),
      modificationTime: number(1, radix: 8).flatMap { $0 == 0 ? nil : $0 },
      mode: number(2, radix: 8).flatMap { $0 == 0 ? nil : UInt32(exactly: $0) })
  }

  /// Whether a header has a size that is not a number, or too large for one. A size may be missing,
  /// but without the right one YMODEM's padding would become a part of the file.
  static func hasMalformedSize(_ bytes: some Collection<UInt8>) -> Bool {
    fields(bytes).first.map { number($0, radix: 10) == nil } ?? false
  }

  /// The words after the name.
  private static func fields(_ bytes: some Collection<UInt8>) -> [String] {
    bytes.drop { $0 != 0 }.dropFirst().prefix { $0 != 0 }
      .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// A number without a sign.
  private static func number(_ field: String, radix: Int) -> Int? {
    let isHex = field.hasPrefix("0x") || field.hasPrefix("0X")
    let digits = isHex ? field.dropFirst(2) : field[...]
    guard digits.first?.isHexDigit ?? false else { return nil }
    return Int(digits, radix: isHex ? 16 : radix)
  }
}
