import TextTools

/// A character encoding of the C library, and what the program has to know about it.
///
/// Its properties are found by converting, so that they are true for every encoding and every
/// version of the library.
public struct Encoding: Hashable, Sendable {
  /// The name in capitals, as the C library compares it: `SHIFT_JIS`.
  public let name: String
  /// Whether every ASCII character has its own byte, and no such byte changes the meaning of the
  /// following ones. True for GBK and CP437; false for UTF-16, ISO-2022-JP, and for SHIFT_JIS,
  /// which has other characters at 5C and 7E.
  public let isSupersetOfASCII: Bool
  /// The number of bytes of the smallest unit: 2 for UTF-16, 4 for UTF-32, otherwise 1. As many are
  /// skipped when they cannot be converted.
  let unit: Int
  /// What the encoder writes before its first character: a byte order mark, or a designation.
  let header: [UInt8]
  /// Whether characters can wait for a combining mark inside of the converter, and have no other
  /// state there.
  let holdsCharacters: Bool

  /// UTF-8, which needs no conversion.
  public static let utf8 = Encoding()

  /// Whether this is UTF-8: then nothing is converted.
  public var isUTF8: Bool { self == .utf8 }

  private init() {
    (name, isSupersetOfASCII, unit, header, holdsCharacters) = ("UTF-8", true, 1, [], false)
  }

  /// Finds an encoding by its name. Case does not matter.
  ///
  /// - Throws: ``EncodingError``.
  public init(_ name: String) throws(EncodingError) {
    // A slash or a comma would begin an option of iconv_open(3), and no name at all would mean the
    // encoding of the locale.
    guard !name.isEmpty, name.utf8.count <= Self.longestName, name.utf8.allSatisfy(Self.isInName)
    else { throw .notName(name) }
    let upper = name.uppercased()
    if upper == "UTF-8" || upper == "UTF8" {
      self = .utf8
      return
    }
    if Self.isBroken(upper) { throw .broken(upper) }
    let decoder = try Self.converter(from: upper, to: "UTF-8", for: upper)
    let encoder = try Self.converter(from: "UTF-8", to: upper, for: upper)
    self.name = upper
    let ascii = Array(0..<0x80 as Range<UInt8>)
    isSupersetOfASCII =
      decoder.all(ascii) == ascii && ascii.allSatisfy { decoder.all([$0]) == [$0] }
    let (one, two) = (encoder.all([0x41]) ?? [], encoder.all([0x41, 0x41]) ?? [])
    unit = max(two.count - one.count, 1)
    header = Array(one.dropLast(unit))
    holdsCharacters = !decoder.hasShiftState && decoder.holdsCharacters
  }

  private static let longestName = 64

  /// Whether the C library's converter must not be used.
  ///
  /// Those of ISO-2022-CN report an invalid byte behind its position, so that the text
  /// depends on how the stream is divided. In glibc before 2.40, one of them writes out of
  /// bounds (CVE-2024-2961).
  private static func isBroken(_ name: String) -> Bool {
    let letters = name.utf8.filter { !"-_".utf8.contains($0) }
    return ["ISO2022CN", "ISO2022CNEXT", "CSISO2022CN"].contains { letters.elementsEqual($0.utf8) }
  }

  /// Whether a byte can be in a name: letters, digits, and the signs in the names of glibc.
  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_.:()+".utf8.contains(byte)
    }
  }

  /// The converter of the device's bytes to UTF-8.
  func decoder() throws(EncodingError) -> CharacterConverter {
    try Self.converter(from: name, to: "UTF-8", for: name)
  }

  /// The converter of UTF-8 to bytes for the device.
  func encoder() throws(EncodingError) -> CharacterConverter {
    try Self.converter(from: "UTF-8", to: name, for: name)
  }

  private static func converter(
    from source: String, to destination: String, for name: String
  ) throws(EncodingError) -> CharacterConverter {
    do throws(ConverterError) {
      return try CharacterConverter(from: source, to: destination)
    } catch {
      switch error {
      case .unknown:
        if CommonEncoding.isKnown(name) { throw .missing(name) }
        throw .unknown(
          name, nearest: Misspelling.nearest(to: name, among: CommonEncoding.all.map(\.name)))
      case .system(let number): throw .system(name, number)
      }
    }
  }
}

extension Encoding: CustomStringConvertible {
  public var description: String { name }
}

extension CharacterConverter {
  /// The whole conversion of a text from the initial state; nil if it is not valid.
  fileprivate func all(_ bytes: [UInt8]) -> [UInt8]? {
    reset()
    var output: [UInt8] = []
    let stop = bytes.withUnsafeBytes { convert($0, into: &output).stop }
    guard stop == .end else { return nil }
    reset(into: &output)
    return output
  }

  /// Whether ESC or SO changes the meaning of the following bytes, as in ISO-2022-JP and in EBCDIC
  /// for East Asia.
  fileprivate var hasShiftState: Bool {
    [0x1B, 0x0E].contains { (byte: UInt8) in
      guard let output = all([byte]) else { return true }
      return output.isEmpty
    }
  }

  /// Whether there is a byte whose character is not written before the next one is known.
  fileprivate var holdsCharacters: Bool {
    (0...UInt8.max).contains { byte in
      reset()
      var output: [UInt8] = []
      let stop = [byte].withUnsafeBytes { convert($0, into: &output).stop }
      guard stop == .end else { return false }
      let count = output.count
      reset(into: &output)
      return output.count > count
    }
  }
}
