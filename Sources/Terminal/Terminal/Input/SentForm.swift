import TextStages

/// The form in which typed bytes are sent: Enter as a line ending, then the character maps.
struct SentForm {
  /// The character maps for sent bytes. Before a change, send what ``flush()`` returns.
  var mapList = MapList() {
    didSet {
      byteMap = ByteMap(mapList, .toDevice)
      mapsBytes = !byteMap.isIdentity
      updateGrowth()
    }
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
  /// Keeps its capacity, so that mapping allocates nothing.
  private var mapped: [UInt8] = []

  /// The maximum number of bytes that a map makes of one byte.
  private static let growthByMap = 2

  /// - Parameter endsLines: whether a CR is Enter, because the bytes are typed.
  init(endsLines: Bool) { self.endsLines = endsLines }

  private mutating func updateGrowth() {
    growth = (mapsBytes ? Self.growthByMap : 1) * (endsLines ? lineEnding.bytes.count : 1)
  }

  /// Typed bytes with the line ending; nil if that changes nothing.
  func ended(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    let carriageReturn: UInt8 = 0x0D
    guard endsLines, lineEnding != .cr, bytes.contains(carriageReturn) else { return nil }
    return bytes.flatMap { $0 == carriageReturn ? lineEnding.bytes : [$0] }
  }

  /// Applies the maps.
  ///
  /// - Returns: the mapped bytes; nil if they are the same.
  mutating func map(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    mapped.removeAll(keepingCapacity: true)
    return byteMap.apply(bytes, into: &mapped) == .changed ? mapped : nil
  }

  /// Whether the map holds back a byte that may be the first of a pair.
  var isWaiting: Bool { byteMap.isWaiting }

  /// Returns the byte that waits for a second one, which may never come; empty if there is none.
  mutating func flush() -> [UInt8] {
    mapped.removeAll(keepingCapacity: true)
    byteMap.flush(into: &mapped)
    return mapped
  }
}
