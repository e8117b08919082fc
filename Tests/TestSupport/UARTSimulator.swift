/// Simulates bit by bit what a UART receives from another one with a different rate, 8N1.
///
/// The receiver detects a start bit by its falling edge, samples the middle of each bit, and treats
/// a missing stop bit as the start bit of the next byte, like a 16550. After a break it waits until
/// the line is high.
public struct UARTSimulator {
  /// A byte as it was received.
  public struct Received {
    public let byte: UInt8
    public let hasFramingError: Bool
    public let isBreak: Bool
    /// The time at which it was complete, in nanoseconds.
    public let time: Int64
  }

  private let senderRate: Double
  private let receiverRate: Double
  /// The times of the edges, in bit times of the sender. The line is low after edges with
  /// an even index.
  private var edges: [Double] = []
  private var end = 0.0

  public init(from senderRate: Int, to receiverRate: Int) {
    self.senderRate = Double(senderRate)
    self.receiverRate = Double(receiverRate)
  }

  /// Lets time pass without sending.
  public mutating func pause(nanoseconds: Int64) {
    end += Double(nanoseconds) * senderRate / 1e9
  }

  /// Sends bytes without pauses.
  ///
  /// - Parameter parity: adds a parity bit after 7 data bits; nil for 8N1.
  public mutating func send(_ bytes: some Sequence<UInt8>, parity: Parity? = nil) {
    for byte in bytes {
      var bits = byte
      if let parity {
        let isOdd = (byte & 0x7F).nonzeroBitCount % 2 == 1
        bits = byte & 0x7F | (isOdd == (parity == .even) ? 0x80 : 0)
      }
      drive(low: true)
      end += 1
      for bit in 0..<8 {
        drive(low: bits >> UInt8(bit) & 1 == 0)
        end += 1
      }
      drive(low: false)
      end += 1
    }
  }

  public enum Parity: Sendable { case even, odd }

  private mutating func drive(low: Bool) {
    let isLow = edges.count % 2 == 1
    guard low != isLow else { return }
    // Removes a pulse without length.
    if edges.last == end { edges.removeLast() } else { edges.append(end) }
  }

  /// The bytes received since the last call. A pause must follow the sent bytes.
  public mutating func receive() -> [Received] {
    var received: [Received] = []
    /// The bit time of the receiver, in bit times of the sender.
    let bit = senderRate / receiverRate
    var index = 0
    func isLow(at time: Double) -> Bool {
      while index < edges.count, edges[index] <= time { index += 1 }
      while index > 0, edges[index - 1] > time { index -= 1 }
      return index % 2 == 1
    }
    var edge = 0
    while edge < edges.count {
      var start = edges[edge]
      var time = start + bit / 2
      if isLow(at: time) {
        while true {
          var byte: UInt8 = 0
          for number in 0..<8 where !isLow(at: start + (1.5 + Double(number)) * bit) {
            byte |= 1 << UInt8(number)
          }
          time = start + 9.5 * bit
          let isMissing = isLow(at: time)
          let isBreak = isMissing && byte == 0
          received.append(
            Received(
              byte: byte, hasFramingError: isMissing && !isBreak, isBreak: isBreak,
              time: Int64(time / senderRate * 1e9)))
          guard isMissing && !isBreak else {
            if isBreak, index < edges.count { time = edges[index] }
            break
          }
          start = time - bit / 2
        }
      }
      // Finds the next falling edge.
      while edge < edges.count, edges[edge] < time { edge += 2 }
    }
    edges.removeAll(keepingCapacity: true)
    return received
  }
}
