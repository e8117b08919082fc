import Glibc

/// A range of addresses that share their first bits: `192.168.1.0/24`, `2001:db8::/32`, or a single
/// address. A value.
///
/// An IPv4 address within IPv6 (`::ffff:192.168.1.5`, RFC 4291, 2.5.5.2) counts as
/// the IPv4 address.
package struct AddressRange: Hashable, Sendable {
  private let bytes: [UInt8]
  private let bits: Int

  /// Parses an address, optionally with the number of its significant bits.
  ///
  /// The corresponding C function is `inet_pton`.
  ///
  /// - Returns: nil if the text is neither.
  package init?(parsing text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { return nil }
    let family = parts[0].contains(":") ? AF_INET6 : AF_INET
    var bytes = [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4)
    guard inet_pton(family, String(parts[0]), &bytes) == 1 else { return nil }
    var bits = bytes.count * 8
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]),
        (0...bits).contains(number)
      else { return nil }
      bits = number
    }
    let short = Self.unmapped(bytes)
    // A shorter range of IPv6 also has addresses that are not of IPv4.
    let isOfIPv4 = short.count < bytes.count && bits >= 8 * Self.mapping.count
    self.bytes = isOfIPv4 ? short : bytes
    self.bits = isOfIPv4 ? bits - 8 * Self.mapping.count : bits
  }

  /// The first bytes of an IPv4 address within IPv6.
  private static let mapping = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The IPv4 address within an IPv6 address; any other address as it is.
  private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.count == 16 && bytes.starts(with: mapping) ? Array(bytes[mapping.count...]) : bytes
  }

  /// Whether an address in text form is in the range.
  package func contains(_ text: String) -> Bool {
    AddressRange(parsing: text).map { contains($0.bytes) } ?? false
  }

  /// Whether an address is in the range.
  package func contains(_ address: [UInt8]) -> Bool {
    let address = Self.unmapped(address)
    guard address.count == bytes.count else { return false }
    let whole = bits / 8
    guard address.prefix(whole) == bytes.prefix(whole) else { return false }
    guard bits % 8 > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF00 >> (bits % 8))
    return address[whole] & mask == bytes[whole] & mask
  }
}

extension AddressRange: CustomStringConvertible {
  /// The address with its number of significant bits: `192.168.1.0/24`.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(bytes.count == 16 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } + "/\(bits)"
  }
}
