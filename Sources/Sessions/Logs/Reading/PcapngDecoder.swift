import TextStages
import Time

/// Reads the packets of a pcapng file from any program, in either byte order.
///
/// A packet without a direction counts as received. An interface with a name is a port. Unknown
/// blocks are skipped, as the format requires.
struct PcapngDecoder: LogDecoder {
  /// The same bytes in both byte orders.
  static let beginnings = [withUnsafeBytes(of: Pcapng.sectionHeader) { Array($0) }]

  private(set) var ports = LogPortNames()
  private(set) var clockStep: Int64 = 0
  private let input: LogInput
  private var isBigEndian = false
  /// The interfaces of the section.
  private var interfaces: [Interface] = []
  /// The offset of the block that is being read.
  private var start = 0

  private struct Interface {
    let name: String?
    /// The number of time units in a second.
    let unitsOfSecond: UInt64
  }

  init(_ input: LogInput) { self.input = input }

  mutating func next() throws(LogReadingError) -> LogReader.Reading {
    while let reading = try block() {
      guard case .block(let type, let body) = reading else { return .waiting }
      switch type {
      case Pcapng.sectionHeader: interfaces = []
      case Pcapng.interfaceDescription: try addInterface(body)
      case Pcapng.enhancedPacket:
        let entry = try packet(body)
        // A packet without bytes is an event or a gap.
        if !entry.bytes.isEmpty { return .entry(entry) }
      default: break
      }
    }
    return .end
  }

  // MARK: Blocks

  private enum BlockReading {
    case block(UInt32, ArraySlice<UInt8>)
    case waiting
  }

  /// The next block; nil at the end. An incomplete block is read again from its start.
  private mutating func block() throws(LogReadingError) -> BlockReading? {
    start = input.offset
    guard case .bytes(let head) = try input.peek(Pcapng.shortestBlock) else { return .waiting }
    if head.isEmpty { return nil }
    guard head.count >= 8 else { throw error("the file ends within a block") }
    let type = number(head, at: 0)
    var shortest = Pcapng.shortestBlock
    // This type is the same in both byte orders. The magic after the length determines the order.
    if type == Pcapng.sectionHeader {
      isBigEndian = head.dropFirst(8).first == 0x1A
      guard number(head, at: 8) == Pcapng.byteOrderMagic else {
        throw error("a section header without its byte order")
      }
      shortest += 4
    }
    let length = Int(number(head, at: 4))
    guard length % 4 == 0, (shortest...LogInput.maximalLength).contains(length) else {
      throw error("a block of \(length) bytes")
    }
    guard case .bytes(let block) = try input.read(length) else { return .waiting }
    guard block.count == length else { throw error("the file ends within a block") }
    guard Int(number(block, at: length - 4)) == length else {
      throw error("a block whose two lengths differ")
    }
    return .block(type, block.dropFirst(8).dropLast(4))
  }

  private mutating func addInterface(_ body: ArraySlice<UInt8>) throws(LogReadingError) {
    guard body.count >= 8 else { throw error("an interface that is cut off") }
    let options = try options(body.dropFirst(8))
    // Microseconds are the default.
    let resolution = options[Pcapng.Option.timeResolution]?.first ?? 6
    let exponent = resolution & 0x7F
    guard exponent <= (resolution & 0x80 == 0 ? 19 : 63) else {
      throw error("an interface with a finer time than can be read")
    }
    let units: UInt64 =
      resolution & 0x80 == 0
      ? (0..<exponent).reduce(1) { unit, _ in unit * 10 } : 1 << UInt64(exponent)
    let name = options[Pcapng.Option.interfaceName].map { String(decoding: $0, as: UTF8.self) }
    if let name { ports.add(name) }
    interfaces.append(Interface(name: name, unitsOfSecond: units))
  }

  private mutating func packet(_ body: ArraySlice<UInt8>) throws(LogReadingError) -> LogEntry {
    guard body.count >= 20 else { throw error("a packet that is cut off") }
    let index = Int(number(body, at: 0))
    guard index < interfaces.count else { throw error("a packet of no interface") }
    let interface = interfaces[index]
    let count = Int(number(body, at: 12))
    let padded = count + (-count & 3)
    guard 20 + padded <= body.count else { throw error("a packet that is cut off") }
    let units = UInt64(number(body, at: 4)) << 32 | UInt64(number(body, at: 8))
    let product = units.multipliedFullWidth(by: 1_000_000_000)
    guard product.high < interface.unitsOfSecond else { throw error("a time that is too late") }
    let options = try options(body.dropFirst(20 + padded))
    let flags = options[Pcapng.Option.flags] ?? []
    let time = interface.unitsOfSecond.dividingFullWidth(product).quotient
    if count == 0, let comment = options[Pcapng.Option.comment],
      let step = LogEvent.clockStep(in: String(decoding: comment, as: UTF8.self)[...], at: time)
    {
      clockStep = clockStep.addingClamped(step)
    }
    let isOutbound = flags.count == 4 && number(flags, at: 0) & 3 == Pcapng.outbound
    return LogEntry(
      time: time,
      port: interface.name,
      direction: isOutbound ? .toDevice : .fromDevice,
      bytes: Array(body.dropFirst(20).prefix(count)))
  }

  private func options(
    _ bytes: ArraySlice<UInt8>
  ) throws(LogReadingError) -> [UInt16: ArraySlice<UInt8>] {
    var found: [UInt16: ArraySlice<UInt8>] = [:]
    var rest = bytes
    while rest.count >= 4 {
      let code = half(rest, at: 0)
      let length = Int(half(rest, at: 2))
      if code == Pcapng.Option.end { break }
      guard length + 4 <= rest.count else { throw error("an option that is cut off") }
      found[code] = rest.dropFirst(4).prefix(length)
      rest = rest.dropFirst(4 + length + (-length & 3))
    }
    return found
  }

  // MARK: Numbers

  private func number(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
    Pcapng.number(bytes, at: offset, isBigEndian: isBigEndian)
  }

  private func half(_ bytes: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
    let number = bytes.dropFirst(offset).prefix(2).reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
    return isBigEndian ? number : number.byteSwapped
  }

  private func error(_ problem: String) -> LogReadingError {
    LogReadingError(at: .offset(start), problem)
  }
}
