import TextTools

/// A message of Modbus without its checksum: the address of the slave, the function, and its data.
///
/// Source: "MODBUS Application Protocol Specification V1.1b3", section 6.
struct ModbusMessage {
  /// Who sent a message.
  enum Sender: Hashable {
    case client, server
  }

  let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  private var slave: UInt8 { self[0] }
  private var function: UInt8 { self[1] }
  private subscript(index: Int) -> UInt8 { bytes[bytes.startIndex + index] }

  // MARK: Lengths

  /// The length of a message, as far as its first bytes tell it.
  enum Length: Hashable {
    /// The length in bytes, without a checksum.
    case known(Int)
    /// More bytes are needed to know it.
    case needsMore
    /// The function is one of the manufacturer's: only the checksum shows the length.
    case unknown
    /// No message begins like this.
    case impossible
  }

  /// The length of a request that begins with these bytes.
  var requestLength: Length {
    guard bytes.count >= 2 else { return .needsMore }
    switch function {
    case 1...6: return .known(6)
    case 7, 11, 12, 17: return .known(2)
    case 8: return .known(6)
    case 15, 16: return counted(at: 6)
    case 20, 21: return counted(at: 2)
    case 22: return .known(8)
    case 23: return counted(at: 10)
    case 24: return .known(4)
    case 43: return .known(5)
    case Self.userDefined[0], Self.userDefined[1]: return .unknown
    default: return .impossible
    }
  }

  /// The functions that manufacturers define ("MODBUS Application Protocol" V1.1b3, 4.1).
  private static let userDefined: [ClosedRange<UInt8>] = [0x41...0x48, 0x64...0x6E]

  /// The length of an answer that begins with these bytes.
  var answerLength: Length {
    guard bytes.count >= 2 else { return .needsMore }
    switch function {
    case 1...4, 12, 17, 20, 21, 23: return counted(at: 2)
    case 5, 6, 8, 11, 15, 16: return .known(6)
    case 7: return .known(3)
    case 22: return .known(8)
    case 24:
      guard bytes.count >= 4 else { return .needsMore }
      let length = Int(self[2]) << 8 | Int(self[3])
      return length <= 64 ? .known(4 + length) : .impossible
    case 43: return identificationLength
    case Self.userDefined[0], Self.userDefined[1]: return .unknown
    case 0x81...0xAB, 0xC1...0xC8, 0xE4...0xEE:
      return Self.exceptions[bytes.count > 2 ? self[2] : 1] == nil
        ? .impossible : .known(3)
    default: return .impossible
    }
  }

  /// The length of a message whose last field has its length in a byte.
  private func counted(at index: Int) -> Length {
    guard bytes.count > index else { return .needsMore }
    let length = index + 1 + Int(self[index])
    return length <= 254 ? .known(length) : .impossible
  }

  /// The length of an answer with the identification of a device: objects, each with its length.
  private var identificationLength: Length {
    guard bytes.count >= 8 else { return .needsMore }
    var length = 8
    for _ in 0..<self[7] {
      guard bytes.count > length + 1 else { return .needsMore }
      length += 2 + Int(self[length + 1])
      if length > 254 { return .impossible }
    }
    return .known(length)
  }

  // MARK: Words

  /// The meaning of the message in words. Its length must be one of the lengths of its sender.
  func meaning(from sender: Sender) -> String {
    guard bytes.count >= 2 else { return "" }
    let target = slave == 0 ? "broadcast" : "slave \(slave)"
    if function >= 0x80 {
      let code = bytes.count > 2 ? self[2] : 0
      return "\(target) exception \(code) \(Self.exceptions[code] ?? "unknown")"
    }
    return "\(target) " + (sender == .client ? request : answer)
  }

  private var request: String {
    switch function {
    case 1: "read coils \(address(2)) ×\(number(4))"
    case 2: "read discrete inputs \(address(2)) ×\(number(4))"
    case 3: "read holding \(address(2)) ×\(number(4))"
    case 4: "read input \(address(2)) ×\(number(4))"
    case 5: "write coil \(address(2)) = \(number(4) == 0 ? "off" : "on")"
    case 6: "write register \(address(2)) = \(hex(4..<6))"
    case 15: "write coils \(address(2)) ×\(number(4)) = \(hex(from: 7))"
    case 16: "write registers \(address(2)) ×\(number(4)) = \(registers(from: 7))"
    case 22: "mask register \(address(2)) and \(hex(4..<6)) or \(hex(6..<8))"
    case 23:
      "read holding \(address(2)) ×\(number(4)), "
        + "write \(address(6)) ×\(number(8)) = \(registers(from: 11))"
    case 24: "read queue \(address(2))"
    default: named(data: 2)
    }
  }

  private var answer: String {
    switch function {
    case 1, 2: "→ \(hex(from: 3))"
    case 3, 4, 23: "→ \(registers(from: 3))"
    case 5: "→ coil \(address(2)) = \(number(4) == 0 ? "off" : "on")"
    case 6: "→ register \(address(2)) = \(hex(4..<6))"
    case 15: "→ coils \(address(2)) ×\(number(4))"
    case 16: "→ registers \(address(2)) ×\(number(4))"
    case 22: "→ register \(address(2)) and \(hex(4..<6)) or \(hex(6..<8))"
    case 24: "→ queue \(registers(from: 6))"
    default: "→ " + named(data: 2)
    }
  }

  private func named(data start: Int) -> String {
    let name = Self.otherFunctions[function] ?? "function \(function)"
    return bytes.count > start ? "\(name) \(hex(from: start))" : name
  }

  private func number(_ index: Int) -> Int {
    index + 1 < bytes.count ? Int(self[index]) << 8 | Int(self[index + 1]) : 0
  }

  private func address(_ index: Int) -> String { "0x" + hex(index..<(index + 2)) }

  private func hex(_ range: Range<Int>) -> String {
    var text: [UInt8] = []
    for index in range where index < bytes.count {
      text.append(hex: UInt64(self[index]), digits: 2)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func hex(from start: Int) -> String { hex(start..<max(start, bytes.count)) }

  /// Registers of 16 bits, with spaces between them.
  private func registers(from start: Int) -> String {
    stride(from: start, to: bytes.count, by: 2).map { hex($0..<($0 + 2)) }.joined(separator: " ")
  }

  private static let exceptions: [UInt8: String] = [
    1: "illegal function", 2: "illegal data address", 3: "illegal data value",
    4: "device failure", 5: "acknowledge", 6: "device busy", 7: "negative acknowledge",
    8: "memory parity error", 10: "gateway path unavailable",
    11: "gateway target failed to respond",
  ]

  private static let otherFunctions: [UInt8: String] = [
    7: "read exception status", 8: "diagnostics", 11: "event counter", 12: "event log",
    17: "server ID", 20: "read file", 21: "write file", 43: "device identification",
  ]
}
