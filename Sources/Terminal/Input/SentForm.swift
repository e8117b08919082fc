package import Encodings
package import TextStages

/// The form in which typed bytes are sent: Enter as a line ending, then the character maps, then
/// the encoding of the device.
package struct SentForm {
  /// The character maps for sent bytes. Before a change, send what ``flush()`` returns.
  package var mapList = MapList() {
    didSet { updateStages() }
  }

  /// The encoding of the device. Before a change, send what ``flush()`` returns.
  package var encoding = Encoding.utf8 {
    didSet {
      guard encoding != oldValue else { return }
      // It was converted before, when the option was read: only a lack of memory is left.
      writer = encoding.isUTF8 ? nil : try? EncodingWriter(encoding)
      updateStages()
    }
  }

  /// The characters that were typed and left out, because the encoding does not have them. Reading
  /// them removes them.
  mutating func takeRefusals() -> [UnencodableText] {
    defer { refusals = [] }
    return refusals
  }

  /// The bytes to send for Enter, which a terminal sends as CR. The map applies to them.
  var lineEnding = LineEnding.cr {
    didSet { updateGrowth() }
  }

  /// Whether a map changes any bytes.
  private(set) var mapsBytes = false
  /// The maximum number of bytes that the map and the line ending make of one byte.
  private(set) var growth = 1

  /// Whether a CR is Enter, because the bytes are typed.
  private let endsLines: Bool
  private var byteMap = ByteMap(MapList(), .toDevice)
  /// Converts characters; nil for UTF-8.
  private var writer: EncodingWriter?
  /// The changes of bits after the conversion.
  private var bitMap = ByteMap(MapList(), .toDevice)
  private var refusals: [UnencodableText] = []
  private var encoded: [UInt8] = []
  /// Keeps its capacity, so that mapping allocates nothing.
  private var mapped: [UInt8] = []

  /// The maximum number of bytes that a map makes of one byte.
  private static let growthByMap = 2
  /// The maximum number of bytes that an encoding makes of one byte: a designation and its end.
  private static let growthByEncoding = 8

  /// - Parameter endsLines: whether a CR is Enter, because the bytes are typed.
  package init(endsLines: Bool) { self.endsLines = endsLines }

  private mutating func updateStages() {
    byteMap = ByteMap(writer == nil ? mapList : mapList.ofCharacters, .toDevice)
    bitMap = ByteMap(writer == nil ? MapList() : mapList.ofBits, .toDevice)
    mapsBytes = !byteMap.isIdentity || writer != nil
    updateGrowth()
  }

  private mutating func updateGrowth() {
    growth = (!byteMap.isIdentity ? Self.growthByMap : 1)
    if writer != nil { growth *= Self.growthByEncoding }
    growth *= (endsLines ? lineEnding.bytes.count : 1)
  }

  /// Typed bytes with the line ending; nil if that changes nothing.
  func ended(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    let carriageReturn: UInt8 = 0x0D
    guard endsLines, lineEnding != .cr, bytes.contains(carriageReturn) else { return nil }
    return bytes.flatMap { $0 == carriageReturn ? lineEnding.bytes : [$0] }
  }

  /// Applies the maps and the encoding.
  ///
  /// - Returns: the bytes to send; nil if they are the same.
  mutating func map(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    mapped.removeAll(keepingCapacity: true)
    let isMapped = byteMap.apply(bytes, into: &mapped) == .changed
    guard writer != nil else { return isMapped ? mapped : nil }
    return isMapped ? mapped.withUnsafeBytes { encode($0) } : encode(bytes)
  }

  private mutating func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    encoded.removeAll(keepingCapacity: true)
    refusals += writer?.type(bytes, into: &encoded) ?? []
    return reverseBits()
  }

  private mutating func reverseBits() -> [UInt8] {
    var reversed: [UInt8] = []
    return encoded.withUnsafeBytes { bitMap.apply($0, into: &reversed) } == .changed
      ? reversed : encoded
  }

  /// Maps and converts bytes that were not typed. Bytes that are not UTF-8 are only mapped. Send
  /// what ``flush()`` returns before.
  ///
  /// - Throws: ``UnencodableText`` for the first character that the encoding does not have.
  package mutating func encoded(_ bytes: [UInt8]) throws(UnencodableText) -> [UInt8] {
    var changed: [UInt8] = []
    let result = bytes.withUnsafeBytes { byteMap.apply($0, into: &changed) }
    byteMap.flush(into: &changed)
    let characters = result == .changed ? changed : bytes
    encoded.removeAll(keepingCapacity: true)
    if let writer {
      try writer.encode(characters, into: &encoded)
    } else {
      encoded = characters
    }
    return reverseBits()
  }

  /// Whether the map holds back a byte that may be the first of a pair.
  var isWaiting: Bool { byteMap.isWaiting }

  /// Returns the byte that waits for a second one, which may never come; empty if there is none.
  mutating func flush() -> [UInt8] {
    mapped.removeAll(keepingCapacity: true)
    byteMap.flush(into: &mapped)
    guard writer != nil, !mapped.isEmpty else { return mapped }
    return mapped.withUnsafeBytes { encode($0) }
  }
}
