import Framing
import TextStages
import TextTools
import Time

/// Writes a packet for each read or write, with nanoseconds and with the direction in its flags.
///
/// A comment names the client that sent the bytes, or says that a frame is bad or that its bytes
/// are stray. An event or a gap is a packet without bytes but with a comment. Each port is an
/// interface. The interface of a single port has no name.
struct PcapngEncoder: LogEncoder {
  private typealias Option = Pcapng.Option

  /// The ports that every file describes; nil in the log of a single port.
  private var ports: [LogPort]?

  private let linkType: UInt16

  init(namesPorts: Bool = false, linkType: UInt16 = Pcapng.linkType) {
    ports = namesPorts ? [] : nil
    self.linkType = linkType
  }

  mutating func begin(into output: inout [UInt8]) {
    block(Pcapng.sectionHeader, into: &output) { output in
      output.append(littleEndian: Pcapng.byteOrderMagic)
      output.append(littleEndian: 1 as UInt16)  // version 1.0
      output.append(littleEndian: 0 as UInt16)
      output.append(littleEndian: -1 as Int64)  // the length of the section is not known yet
      option(Option.application, Array("serialterm".utf8), into: &output)
      option(Option.end, [], into: &output)
    }
    if let ports {
      for port in ports { interface(port, into: &output) }
    } else {
      interface(nil, into: &output)
    }
  }

  /// A complete block has its length at its end, and behind its type, in either byte order. A file
  /// that cannot be read is not known to be incomplete.
  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation {
    guard size >= Pcapng.shortestBlock, size % 4 == 0 else { return .inNextFile }
    guard let end = read(size - 4..<size) else { return .asItIs }
    for isBigEndian in [false, true] {
      let length = Int(Pcapng.number(end[...], at: 0, isBigEndian: isBigEndian))
      guard length % 4 == 0, (Pcapng.shortestBlock...size).contains(length) else { continue }
      let start = size - length + 4
      if read(start..<start + 4) == end { return .asItIs }
    }
    return .inNextFile
  }

  private func interface(_ port: LogPort?, into output: inout [UInt8]) {
    block(Pcapng.interfaceDescription, into: &output) { output in
      output.append(littleEndian: linkType)
      output.append(littleEndian: 0 as UInt16)
      output.append(littleEndian: 0 as UInt32)  // packets are never truncated
      if let port {
        option(Option.interfaceName, Array(port.name.utf8), into: &output)
        option(Option.interfaceDescription, Array(port.endpoint.utf8), into: &output)
      }
      option(Option.timeResolution, [9], into: &output)
      option(Option.end, [], into: &output)
    }
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    switch record.content {
    case .bytes(let direction, let bytes, let client):
      packet(bytes, of: record, into: &output) { output in
        let flags = direction == .fromDevice ? Pcapng.inbound : Pcapng.outbound
        option(Option.flags, flags.littleEndianBytes, into: &output)
        if let client { option(Option.comment, Array("by \(client)".utf8), into: &output) }
        if let note = record.frame?.note {
          option(Option.comment, Array(note.utf8), into: &output)
        }
      }
    case .event(let event):
      comment("\(event)", of: record, into: &output)
    case .gap(let count):
      comment(LogEvent.gapText(count), of: record, into: &output)
    case .port(let port):
      ports?.append(port)
      interface(port, into: &output)
    }
  }

  private func comment(_ text: String, of record: LogRecord, into output: inout [UInt8]) {
    packet(UnsafeRawBufferPointer(start: nil, count: 0), of: record, into: &output) { output in
      option(Option.comment, Array(text.utf8), into: &output)
    }
  }

  private func packet(
    _ bytes: UnsafeRawBufferPointer, of record: LogRecord, into output: inout [UInt8],
    options: (inout [UInt8]) -> Void
  ) {
    let time = record.moment.wallClock
    block(Pcapng.enhancedPacket, into: &output) { output in
      output.append(littleEndian: UInt32(record.port))  // the section's interface
      output.append(littleEndian: UInt32(truncatingIfNeeded: time >> 32))
      output.append(littleEndian: UInt32(truncatingIfNeeded: time))
      output.append(littleEndian: UInt32(bytes.count))
      output.append(littleEndian: UInt32(bytes.count))
      output.append(contentsOf: bytes)
      pad(bytes.count, into: &output)
      options(&output)
      option(Option.end, [], into: &output)
    }
  }

  private func block(
    _ type: UInt32, into output: inout [UInt8], _ body: (inout [UInt8]) -> Void
  ) {
    let start = output.count
    output.append(littleEndian: type)
    output.append(littleEndian: 0 as UInt32)  // the total length, filled in when it is known
    body(&output)
    let length = UInt32(output.count + 4 - start)
    output.append(littleEndian: length)
    output.replaceSubrange(start + 4..<start + 8, with: length.littleEndianBytes)
  }

  private func option(_ code: UInt16, _ value: [UInt8], into output: inout [UInt8]) {
    output.append(littleEndian: code)
    output.append(littleEndian: UInt16(value.count))
    output.append(contentsOf: value)
    pad(value.count, into: &output)
  }

  /// Pads to a multiple of four bytes.
  private func pad(_ count: Int, into output: inout [UInt8]) {
    output.append(contentsOf: repeatElement(0, count: -count & 3))
  }
}

extension DecodedFrame {
  /// The comment of its packet: what is wrong with it. A reason is short: it names a checksum or
  /// a length.
  fileprivate var note: String? {
    switch check {
    case .none, .good: nil
    case .bad(let reason): "BAD (\(reason))"
    case .stray: "stray"
    }
  }
}

extension UInt32 {
  fileprivate var littleEndianBytes: [UInt8] {
    Swift.withUnsafeBytes(of: littleEndian) { Array($0) }
  }
}
