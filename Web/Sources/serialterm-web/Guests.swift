import Glibc

/// The connections that have not shown the token yet, in the order in which they came. A value.
///
/// Their number has a limit, and they take no room from pages that were let in. When there are
/// too many, the oldest one of the address that has most of them goes: one computer cannot keep
/// the others out, and connections that wait cannot keep out those that come.
struct Guests {
  /// The largest number.
  let limit: Int
  private var waiting: [(number: Int, peer: Peer)] = []

  /// - Parameter limit: the largest number; at least 1.
  init(limit: Int) { self.limit = limit }

  var count: Int { waiting.count }

  /// Adds a connection.
  ///
  /// - Returns: the connection that has to go; nil if there is room.
  mutating func add(_ number: Int, from peer: Peer) -> Int? {
    waiting.append((number, peer))
    return waiting.count > limit ? removeOldest() : nil
  }

  /// Removes the oldest connection of the address that has most of them.
  ///
  /// - Returns: nil if there is none.
  mutating func removeOldest() -> Int? {
    let counts = waiting.reduce(into: [Peer: Int]()) { $0[$1.peer, default: 0] += 1 }
    let most = counts.values.max()
    guard let index = waiting.firstIndex(where: { counts[$0.peer] == most }) else { return nil }
    return waiting.remove(at: index).number
  }

  /// Removes a connection that was let in, or has ended.
  ///
  /// - Returns: whether it was still there.
  @discardableResult
  mutating func remove(_ number: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// The computer that a connection comes from: its IPv4 address, or the network of its IPv6
  /// address, within which a computer chooses its addresses itself (RFC 4291, 2.5.1).
  struct Peer: Hashable {
    private let bytes: [UInt8]

    /// The first bytes of an IPv4 address within IPv6 (RFC 4291, 2.5.5.2).
    private static let mapping = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// - Parameter address: an address as text; nil if it is not known.
    init(_ address: String?) {
      var (four, six) = ([UInt8](repeating: 0, count: 4), [UInt8](repeating: 0, count: 16))
      if let address, inet_pton(AF_INET6, address, &six) == 1 {
        bytes = Array(six.starts(with: Self.mapping) ? six[12...] : six[..<8])
      } else if let address, inet_pton(AF_INET, address, &four) == 1 {
        bytes = four
      } else {
        bytes = []
      }
    }
  }
}
