/// Finds the device's echo of a sent text in what it sends.
struct EchoSearch: Hashable, Sendable {
  /// Whether the echo was found.
  private(set) var isFound = false
  private let text: [UInt8]
  /// The received bytes that the echo may begin with.
  private var tail: [UInt8] = []

  /// - Parameter sent: the sent bytes. Their line ending is not echoed as it is sent.
  /// - Returns: nil if other text could easily look like the echo, or if bytes that are not text
  ///   may be echoed in another form.
  init?(of sent: [UInt8]) {
    text = Array(sent.reversed().drop { "\r\n".utf8.contains($0) }.reversed())
    guard text.count > 1, text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
  }

  /// Searches received bytes.
  mutating func add(_ bytes: [UInt8]) {
    guard !isFound else { return }
    tail += bytes
    let last = tail.count - text.count
    if last >= 0 {
      isFound = (0...last).contains { tail[$0...].starts(with: text) }
    }
    tail = Array(tail.suffix(text.count - 1))
  }
}
