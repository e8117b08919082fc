import Framing

/// Decodes ZMODEM headers and data subpackets from bytes in pieces of any size.
///
/// It searches for headers until it finds one with data, then reads subpackets until the frame ends
/// or a subpacket is damaged. After a damaged subpacket, the position in the stream is unknown: the
/// sender may have stopped in the middle and begun a new frame. Therefore the raw bytes are kept,
/// and searched for a header.
///
/// Unescaped XON and XOFF are ignored everywhere.
struct ZmodemDecoder {
  /// A decoded item.
  enum Item: Hashable {
    case header(ZmodemHeader)
    /// An undamaged subpacket. Take it with ``removeSubpacket()`` or keep it with
    /// ``keepSubpacket()``; otherwise it is dropped.
    case subpacket(count: Int, end: ZmodemEnd)
    /// A damaged subpacket. The rest of its frame is skipped.
    case damagedSubpacket
    /// A damaged header.
    case damagedHeader
    /// Five CANs in a row.
    case cancelled
  }

  /// The maximum size of a subpacket. The specification has 1,024 bytes; some senders use 8,192.
  static let longestSubpacket = 8_192

  /// Whether data follow the headers. False for a sender, where headers with data are echoes.
  private let readsData: Bool
  private var input: [UInt8] = []
  private var index = 0
  /// The number of CANs in a row.
  private var cancels = 0
  /// The number of bytes that were skipped in the search for a header.
  private(set) var skippedCount = 0

  /// Whether bytes that do not belong to a header are kept for ``removeText()``.
  var keepsText = true
  private var text: [UInt8] = []

  // The search for a header.
  /// A possible beginning of a header, without XON and XOFF.
  private var candidate: [UInt8] = []

  // The subpackets of a frame.
  private var isInFrame = false
  private var hasCRC32 = false
  /// The number of line end bytes after a hex header. CR and LF precede the data.
  private var lineEndCount = 0
  /// Whether the previous byte was ZDLE.
  private var isEscaped = false
  /// The end of the subpacket, while its CRC is being read.
  private var end: ZmodemEnd?
  private var checksum: UInt32 = 0
  private var checksumCount = 0
  /// The kept data, followed by the present subpacket and free space.
  private var data: [UInt8] = []
  private var keptCount = 0
  private var filledCount = 0
  private var readyCount = 0
  /// Raw bytes of the present subpacket that are no longer in the input.
  private var earlier: [UInt8] = []
  /// The offset in the input where the present subpacket begins.
  private var rawStart = 0

  init(readsData: Bool) { self.readsData = readsData }

  /// Adds bytes. Call ``next()`` until it returns nil.
  mutating func feed(_ bytes: [UInt8]) {
    input = index < input.count ? Array(input[index...]) + bytes : bytes
    index = 0
    rawStart = 0
  }

  /// The next item; nil if more bytes are needed.
  mutating func next() -> Item? {
    while index < input.count {
      if let item = isInFrame ? readSubpacket() : readHeader() { return item }
    }
    if isInFrame { earlier += input[rawStart...] }
    input = []
    index = 0
    rawStart = 0
    return nil
  }

  /// Leaves the present frame, and searches for a header.
  mutating func seekHeader() {
    isInFrame = false
    candidate = []
    skippedCount = 0
  }

  /// Resets everything except the kept data.
  mutating func reset() {
    input = []
    index = 0
    cancels = 0
    seekHeader()
  }

  /// Removes and returns the bytes that were not decoded.
  mutating func removeRest() -> [UInt8] {
    let rest = Array(input[index...])
    input = []
    index = 0
    return rest
  }

  // MARK: Data

  /// Removes and returns the last subpacket.
  mutating func removeSubpacket() -> [UInt8] {
    defer { readyCount = 0 }
    return Array(data[keptCount..<(keptCount + readyCount)])
  }

  /// Keeps the last subpacket.
  mutating func keepSubpacket() {
    keptCount += readyCount
    filledCount = keptCount
    readyCount = 0
  }

  /// Removes and returns the kept data.
  mutating func removeKept() -> [UInt8] {
    guard keptCount > 0 else { return [] }
    let kept = Array(data[..<keptCount])
    let partCount = isInFrame ? filledCount - keptCount : 0
    data.withUnsafeMutableBytes { bytes in
      guard partCount > 0 else { return }
      let part = UnsafeRawBufferPointer(
        rebasing: UnsafeRawBufferPointer(bytes)[keptCount..<(keptCount + partCount)])
      UnsafeMutableRawBufferPointer(rebasing: bytes[..<partCount]).copyMemory(from: part)
    }
    keptCount = 0
    filledCount = partCount
    return kept
  }

  // MARK: Headers

  private mutating func readHeader() -> Item? {
    if candidate.isEmpty { skipToCandidate() }
    while index < input.count {
      let byte = input[index]
      index += 1
      if let item = readHeaderByte(byte) { return item }
      if candidate.isEmpty { return nil }
    }
    return nil
  }

  /// Skips bytes that can neither begin a header nor belong to a cancellation.
  private mutating func skipToCandidate() {
    let start = index
    input.withUnsafeBufferPointer { input in
      while index < input.count {
        let byte = input[index]
        guard byte & 0x7F != ZmodemCharacter.pad, byte != ZmodemCharacter.escape else { return }
        if !ZmodemCharacter.isFlowControl(byte) { cancels = 0 }
        index += 1
      }
    }
    skip(input[start..<index])
  }

  private mutating func skip(_ bytes: ArraySlice<UInt8>) {
    skippedCount += bytes.count
    if keepsText { text += bytes }
  }

  /// Removes and returns the skipped text.
  mutating func removeText() -> [UInt8] {
    defer { text = [] }
    return text
  }

  private mutating func readHeaderByte(_ byte: UInt8) -> Item? {
    guard !ZmodemCharacter.isFlowControl(byte) else { return nil }
    cancels = byte == ZmodemCharacter.escape ? cancels + 1 : 0
    if cancels == 5 {
      cancels = 0
      candidate = []
      return .cancelled
    }
    candidate.append(byte)
    var wasDamaged = false
    while !candidate.isEmpty {
      switch ZmodemHeaderReading(candidate) {
      case .incomplete: return wasDamaged ? .damagedHeader : nil
      case .header(let header, let form):
        candidate = []
        skippedCount = 0
        if readsData, header.frame.hasData { beginFrame(form) }
        return .header(header)
      case .damaged:
        wasDamaged = true
        giveUpCandidate()
      case .none: giveUpCandidate()
      }
    }
    return wasDamaged ? .damagedHeader : nil
  }

  /// Gives up a possible header, and searches it for the beginning of another one.
  private mutating func giveUpCandidate() {
    let count =
      candidate.dropFirst().firstIndex { $0 & 0x7F == ZmodemCharacter.pad } ?? candidate.count
    skip(candidate[..<count])
    candidate.removeFirst(count)
  }

  private mutating func beginFrame(_ form: ZmodemHeaderReading.Form) {
    isInFrame = true
    hasCRC32 = form == .binary32
    lineEndCount = form == .hex ? 2 : 0
    beginSubpacket()
  }

  // MARK: Subpackets

  private mutating func beginSubpacket() {
    isEscaped = false
    end = nil
    checksum = 0
    checksumCount = 0
    filledCount = keptCount
    readyCount = 0
    earlier = []
    rawStart = index
  }

  /// Reads the available part of a subpacket.
  private mutating func readSubpacket() -> Item? {
    readyCount = 0
    if end == nil {
      if lineEndCount > 0 { skipLineEnd() }
      if !isEscaped { copyRuns() }
      if filledCount - keptCount > Self.longestSubpacket { return damage() }
    }
    guard index < input.count else { return nil }
    let byte = input[index]
    index += 1
    guard !ZmodemCharacter.isFlowControl(byte) else { return nil }
    cancels = byte == ZmodemCharacter.escape ? cancels + 1 : 0
    guard isEscaped else {
      if byte == ZmodemCharacter.escape { isEscaped = true } else { return handle(byte) }
      return nil
    }
    switch byte {
    case ZmodemCharacter.escape:
      guard cancels == 5 else { return nil }
      cancels = 0
      seekHeader()
      return .cancelled
    case ZmodemCharacter.delete, ZmodemCharacter.delete8:
      isEscaped = false
      return handle(byte == ZmodemCharacter.delete ? 0x7F : 0xFF)
    case _ where byte & 0x60 == 0x40:
      isEscaped = false
      return handle(byte ^ 0x40)
    default:
      guard end == nil, let end = ZmodemEnd(rawValue: byte) else { return damage() }
      isEscaped = false
      self.end = end
      return nil
    }
  }

  private mutating func skipLineEnd() {
    while lineEndCount > 0, index < input.count {
      switch (input[index] & 0x7F, lineEndCount) {
      case (0x0D, 2): lineEndCount = 1
      case (0x0A, _): lineEndCount = 0
      default:
        lineEndCount = 0
        return
      }
      index += 1
    }
  }

  /// Handles an unescaped byte of the data or of the CRC.
  private mutating func handle(_ byte: UInt8) -> Item? {
    guard let end else {
      if filledCount == data.count { data += repeatElement(0, count: 2_048) }
      data[filledCount] = byte
      filledCount += 1
      return nil
    }
    // The CRC-16 is sent high byte first, the CRC-32 low byte first.
    checksum =
      hasCRC32
      ? checksum | UInt32(byte) << (8 * UInt32(checksumCount)) : checksum << 8 | UInt32(byte)
    checksumCount += 1
    guard checksumCount == (hasCRC32 ? 4 : 2) else { return nil }
    guard isUndamaged(end) else { return damage() }
    let count = filledCount - keptCount
    beginSubpacket()
    readyCount = count
    if end.endsFrame {
      isInFrame = false
      candidate = []
      skippedCount = 0
    }
    return .subpacket(count: count, end: end)
  }

  private func isUndamaged(_ end: ZmodemEnd) -> Bool {
    data.withUnsafeBytes { bytes in
      let subpacket = UnsafeRawBufferPointer(rebasing: bytes[keptCount..<filledCount])
      if hasCRC32 {
        var crc = CRC32()
        crc.update(with: subpacket)
        crc.update(with: end.rawValue)
        return crc.value == checksum
      }
      var crc = CRC16()
      crc.update(with: subpacket)
      crc.update(with: end.rawValue)
      return UInt32(crc.value) == checksum
    }
  }

  /// Copies data up to a byte that needs separate handling.
  private mutating func copyRuns() {
    let needed = filledCount + input.count - index + 8
    if data.count < needed { data += repeatElement(0, count: needed - data.count) }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var (read, written) = (index, filledCount)
    input.withUnsafeBytes { input in
      data.withUnsafeMutableBytes { data in
        while read + 8 <= input.count {
          // Copies words of eight bytes before they are examined.
          let word = UInt64(
            littleEndian: input.loadUnaligned(fromByteOffset: read, as: UInt64.self))
          data.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
          // The high bit of each byte that is 18, 11 or 13, with any parity.
          let hits =
            ((highs &- ((word & (ones &* 0x7F)) ^ (ones &* 0x18)))
              | (highs &- ((word & (ones &* 0x7D)) ^ (ones &* 0x11)))) & highs
          guard hits != 0 else {
            read += 8
            written += 8
            continue
          }
          let skipped = hits.trailingZeroBitCount >> 3
          read += skipped
          written += skipped
          let byte = input[read]
          if byte == ZmodemCharacter.escape {
            guard read + 1 < input.count, input[read + 1] & 0x60 == 0x40 else { break }
            data[written] = input[read + 1] ^ 0x40
            read += 2
            written += 1
          } else if byte == 0x98 {
            read += 1
            written += 1
          } else {
            read += 1
          }
        }
      }
    }
    if read > index { cancels = 0 }
    index = read
    filledCount = written
  }

  /// Handles a damaged subpacket: searches its raw bytes for the last header.
  private mutating func damage() -> Item? {
    let raw = earlier + input[rawStart..<index]
    let rest = input[index...]
    earlier = []
    seekHeader()
    var last: (header: ZmodemHeader, form: ZmodemHeaderReading.Form, end: Int)?
    for (place, byte) in raw.enumerated() where !ZmodemCharacter.isFlowControl(byte) {
      if candidate.isEmpty, byte & 0x7F != ZmodemCharacter.pad { continue }
      candidate.append(byte)
      search: while !candidate.isEmpty {
        switch ZmodemHeaderReading(candidate) {
        case .incomplete: break search
        case .header(let header, let form):
          last = (header, form, place + 1)
          candidate = []
        case .damaged, .none: giveUpCandidate()
        }
      }
    }
    guard let last else { return .damagedSubpacket }
    candidate = []
    input = Array(raw[last.end...] + rest)
    index = 0
    rawStart = 0
    if readsData, last.header.frame.hasData { beginFrame(last.form) }
    return .header(last.header)
  }
}

/// The interpretation of bytes that may be a header. A pure function of the bytes from the first
/// pad on, without XON and XOFF.
enum ZmodemHeaderReading {
  enum Form { case hex, binary, binary32 }

  /// More bytes are needed.
  case incomplete
  case header(ZmodemHeader, Form)
  /// They begin like a header, but are damaged.
  case damaged
  /// They are not the beginning of a header, or the type is unknown.
  case none

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    let pads = rest.prefix { $0 & 0x7F == ZmodemCharacter.pad }.count
    guard pads > 0 else {
      self = .none
      return
    }
    // Two pads are enough: the first of many is given up.
    guard pads <= 2 else {
      self = .none
      return
    }
    rest = rest.dropFirst(pads)
    guard let escape = rest.popFirst() else {
      self = .incomplete
      return
    }
    guard escape & 0x7F == ZmodemCharacter.escape else {
      self = .none
      return
    }
    guard let form = rest.popFirst() else {
      self = .incomplete
      return
    }
    switch form & 0x7F {
    case ZmodemCharacter.hex: self.init(hex: rest)
    case ZmodemCharacter.binary: self.init(binary: rest, .binary)
    case ZmodemCharacter.binary32: self.init(binary: rest, .binary32)
    default: self = .none
    }
  }

  /// Parses fourteen hexadecimal digits. Their parity bits are ignored.
  private init(hex digits: ArraySlice<UInt8>) {
    var values: [UInt8] = []
    for digit in digits.prefix(14) {
      switch digit & 0x7F {
      case let digit where (0x30...0x39).contains(digit): values.append(digit - 0x30)
      case let digit where (0x61...0x66).contains(digit): values.append(digit - 0x61 + 10)
      case let digit where (0x41...0x46).contains(digit): values.append(digit - 0x41 + 10)
      default:
        self = .damaged
        return
      }
    }
    guard values.count == 14 else {
      self = .incomplete
      return
    }
    let bytes = (0..<7).map { values[2 * $0] << 4 | values[2 * $0 + 1] }
    self.init(bytes: bytes, .hex)
  }

  private init(binary raw: ArraySlice<UInt8>, _ form: Form) {
    let count = form == .binary ? 7 : 9
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in raw where bytes.count < count {
      if !isEscaped, byte == ZmodemCharacter.escape {
        isEscaped = true
      } else if !isEscaped {
        bytes.append(byte)
      } else {
        isEscaped = false
        switch byte {
        case ZmodemCharacter.delete: bytes.append(0x7F)
        case ZmodemCharacter.delete8: bytes.append(0xFF)
        case _ where byte & 0x60 == 0x40: bytes.append(byte ^ 0x40)
        default:
          self = .damaged
          return
        }
      }
    }
    guard bytes.count == count else {
      self = .incomplete
      return
    }
    self.init(bytes: bytes, form)
  }

  /// Parses the type, four bytes, and the CRC of these.
  private init(bytes: [UInt8], _ form: Form) {
    let isUndamaged: Bool
    if form == .binary32 {
      isUndamaged =
        CRC32(of: bytes[..<5]).value == bytes[5...].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    } else {
      isUndamaged = CRC16(of: bytes[..<5]).value == UInt16(bytes[5]) << 8 | UInt16(bytes[6])
    }
    guard isUndamaged else {
      self = .damaged
      return
    }
    self = ZmodemHeader(bytes: bytes[..<5]).map { .header($0, form) } ?? .none
  }
}
