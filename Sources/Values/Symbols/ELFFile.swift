/// What addresses need of an ELF file: its machine, and where its code is.
///
/// The file comes from outside: every offset and size in it is checked, and only headers are read,
/// so that a file of 100 MB costs no more than one of 10 KB. The format: elf(5).
public struct ELFFile: Hashable, Sendable {
  /// Reads bytes of the file: as many as there are, at most as many as wanted.
  public typealias Reader = (_ offset: UInt64, _ count: Int) throws(ELFError) -> [UInt8]

  public let machine: ELFMachine
  /// Whether addresses have 64 bits.
  public let has64Bits: Bool
  /// The addresses of code, sorted, none of them overlapping.
  public let code: [Range<UInt64>]
  /// Whether it has a table of source lines.
  public let hasLines: Bool
  /// Whether it has a table of symbols.
  public let hasSymbols: Bool
  /// The GNU build ID, empty if there is none.
  public let buildID: [UInt8]

  /// Reads the headers.
  public init(_ read: @escaping Reader) throws(ELFError) {
    let file = try HeaderReader(read)
    machine = ELFMachine(number: file.machine)
    has64Bits = file.is64
    let sections = try file.sections()
    let executable = sections.filter { $0.flags & 6 == 6 && $0.kind != 0 }
    let ranges =
      executable.isEmpty
      ? try file.executableSegments() : executable.map { ($0.address, $0.size) }
    code = Self.merged(ranges)
    guard !code.isEmpty else { throw .noCode }
    hasSymbols = sections.contains { $0.kind == 2 }
    hasLines = try file.names(of: sections).contains { $0 == ".debug_line" || $0 == ".zdebug_line" }
    buildID = try file.buildID(in: sections)
  }

  /// Whether an address is in code. The lowest bit of an ARM address only says that the code is
  /// Thumb. It never leads out of a range: instructions begin at even addresses.
  public func isCode(_ address: UInt64) -> Bool {
    var (low, high) = (0, code.count)
    while low < high {
      let middle = (low + high) / 2
      if code[middle].upperBound <= address { low = middle + 1 } else { high = middle }
    }
    return low < code.count && code[low].contains(address)
  }

  /// The address to look up: without the Thumb bit.
  public func lookup(_ address: UInt64) -> UInt64 { machine == .arm ? address & ~1 : address }

  private static func merged(_ ranges: [(UInt64, UInt64)]) -> [Range<UInt64>] {
    var result: [Range<UInt64>] = []
    for (start, size) in ranges.sorted(by: { $0.0 < $1.0 }) where size > 0 {
      let (sum, overflows) = start.addingReportingOverflow(size)
      let end = overflows ? UInt64.max : sum
      guard start < end else { continue }
      if let last = result.last, start <= last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, end)
      } else {
        result.append(start..<end)
      }
    }
    return result
  }
}

/// Why a file is of no use for addresses.
public enum ELFError: Error, Hashable, CustomStringConvertible {
  case notELF
  case damaged
  case noCode
  /// The file cannot be read; the reason.
  case unreadable(String)

  public var description: String {
    switch self {
    case .notELF: "not an ELF file"
    case .damaged: "a damaged ELF file: its headers point outside the file"
    case .noCode: "an ELF file without code"
    case .unreadable(let reason): reason
    }
  }
}

/// The headers of a file, both classes and both byte orders.
private struct HeaderReader {
  struct Section {
    var name: UInt64
    var kind, flags, address, offset, size, link: UInt64
  }

  /// The largest table of headers: 200,000 sections, more than any firmware has.
  private static let maximumTable: UInt64 = 16 << 20
  private static let maximumNames = 8 << 20

  let read: ELFFile.Reader
  let is64: Bool
  let isBig: Bool
  let header: [UInt8]
  var machine: UInt16 { UInt16(truncatingIfNeeded: number(header, 18, 2)) }

  init(_ read: @escaping ELFFile.Reader) throws(ELFError) {
    self.read = read
    header = try read(0, 64)
    guard header.count >= 20, header.starts(with: [0x7F, 0x45, 0x4C, 0x46]),
      header[4] == 1 || header[4] == 2, header[5] == 1 || header[5] == 2
    else { throw .notELF }
    is64 = header[4] == 2
    isBig = header[5] == 2
    guard header.count >= (is64 ? 64 : 52) else { throw .damaged }
  }

  /// A number in bytes that are known to be there.
  func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    let part = bytes[offset..<offset + count]
    return isBig
      ? part.reduce(0) { $0 << 8 | UInt64($1) }
      : part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func exactly(_ offset: UInt64, _ count: Int) throws(ELFError) -> [UInt8] {
    let bytes = try read(offset, count)
    guard bytes.count == count else { throw .damaged }
    return bytes
  }

  func sections() throws(ELFError) -> [Section] {
    let start = number(header, is64 ? 40 : 32, is64 ? 8 : 4)
    guard start != 0 else { return [] }
    let size = number(header, is64 ? 58 : 46, 2)
    guard size >= (is64 ? 64 : 40) else { throw .damaged }
    var count = number(header, is64 ? 60 : 48, 2)
    if count == 0 {
      // More than 65,279 sections: the first one's size is their number.
      count = section(try exactly(start, Int(size)), 0).size
    }
    guard count <= Self.maximumTable / size else { throw .damaged }
    let bytes = try exactly(start, Int(size * count))
    return (0..<Int(count)).map { section(bytes, $0 * Int(size)) }
  }

  private func section(_ bytes: [UInt8], _ at: Int) -> Section {
    let word = is64 ? 8 : 4
    return Section(
      name: number(bytes, at, 4), kind: number(bytes, at + 4, 4),
      flags: number(bytes, at + 8, word), address: number(bytes, at + 8 + word, word),
      offset: number(bytes, at + 8 + 2 * word, word),
      size: number(bytes, at + 8 + 3 * word, word), link: number(bytes, at + 8 + 4 * word, 4))
  }

  func executableSegments() throws(ELFError) -> [(UInt64, UInt64)] {
    let start = number(header, is64 ? 32 : 28, is64 ? 8 : 4)
    let size = number(header, is64 ? 54 : 42, 2)
    let count = number(header, is64 ? 56 : 44, 2)
    guard start != 0, count != 0 else { return [] }
    guard size >= (is64 ? 56 : 32), count <= Self.maximumTable / size else { throw .damaged }
    let bytes = try exactly(start, Int(size * count))
    return (0..<Int(count)).compactMap { index in
      let at = index * Int(size)
      let isCode = number(bytes, at, 4) == 1 && number(bytes, at + (is64 ? 4 : 24), 4) & 1 == 1
      return isCode
        ? (
          number(bytes, at + (is64 ? 16 : 8), is64 ? 8 : 4),
          number(bytes, at + (is64 ? 40 : 20), is64 ? 8 : 4)
        ) : nil
    }
  }

  func names(of sections: [Section]) throws(ELFError) -> [String] {
    var index = number(header, is64 ? 62 : 50, 2)
    if index == 0xFFFF, let first = sections.first { index = first.link }
    guard index < UInt64(sections.count) else { return [] }
    let table = sections[Int(index)]
    let names = try read(table.offset, Int(min(table.size, UInt64(Self.maximumNames))))
    return sections.map { section in
      guard section.name < UInt64(names.count) else { return "" }
      // No name that matters is longer.
      let name = names[Int(section.name)...].prefix(32).prefix { $0 != 0 }
      return String(decoding: name, as: UTF8.self)
    }
  }

  func buildID(in sections: [Section]) throws(ELFError) -> [UInt8] {
    for section in sections.lazy.filter({ $0.kind == 7 }).prefix(32) {
      let note = try read(section.offset, Int(min(section.size, 1024)))
      guard note.count >= 16, number(note, 0, 4) == 4, number(note, 8, 4) == 3,
        note[12..<16].elementsEqual([0x47, 0x4E, 0x55, 0])
      else { continue }
      return Array(note[16...].prefix(Int(number(note, 4, 4))))
    }
    return []
  }
}
