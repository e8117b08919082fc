package import Scrollback
import Telnet

/// The bytes that a device sent most recently, with their times, for members and clients who
/// come later.
///
/// Adding bytes copies them. Once the memory is full, nothing is allocated. Each byte has a
/// position: the number of bytes that were added before it.
package struct ReceivedHistory {
  /// Bytes that arrived at about the same time.
  package struct Piece: Hashable {
    /// The time in nanoseconds since 1970-01-01 UTC.
    package let time: UInt64
    package let bytes: [UInt8]

    package init(time: UInt64, bytes: [UInt8]) { (self.time, self.bytes) = (time, bytes) }
  }

  /// The number of bytes that share a time.
  private struct Run {
    let time: UInt64
    var count: Int
  }

  /// The bytes: a ring once it is full.
  private var ring: [UInt8] = []
  /// The index of the next byte in a full ring.
  private var next = 0
  /// The runs. The oldest one is at ``head``.
  private var runs: [Run] = []
  private var head = 0
  /// The total number of bytes in the runs.
  private var count = 0
  /// The maximum number of bytes that are kept.
  private let capacity: Int
  /// Bytes that arrive within this time share one time, in nanoseconds.
  private let resolution: UInt64
  /// The position of the next byte that is added.
  private(set) var end = 0
  /// The position of the oldest byte that is kept.
  var start: Int { end - count }

  /// - Parameters:
  ///   - capacity: the maximum number of bytes that are kept, at least 1.
  ///   - resolution: bytes that arrive within this time share one time, in nanoseconds.
  init(capacity: Int = Self.capacity, resolution: UInt64 = Self.resolution) {
    (self.capacity, self.resolution) = (capacity, resolution)
  }

  /// The maximum number of bytes that are kept for members.
  package static let capacity = 65_536
  /// Bytes that arrive within this time share one time, in nanoseconds.
  private static let resolution: UInt64 = 10_000_000
  /// The maximum number of runs. If a device sends single bytes over a long time, fewer than
  /// the capacity are kept.
  private static let runLimit = 2_048

  /// All pieces, the oldest first.
  var all: [Piece] {
    var place = firstPlace
    return runs[head...].map { run in
      let bytes = (place..<(place + run.count)).map { ring[$0 % capacity] }
      place += run.count
      return Piece(time: run.time, bytes: bytes)
    }
  }

  /// The index in the ring of the oldest byte, or that plus the capacity.
  private var firstPlace: Int {
    ring.count < capacity ? ring.count - count : next + capacity - count
  }

  /// Some bytes that are kept.
  ///
  /// - Parameters:
  ///   - position: the position of the first byte, from ``start`` to ``end``.
  ///   - limit: the maximum number of bytes.
  func bytes(from position: Int, atMost limit: Int) -> [UInt8] {
    guard position < end else { return [] }
    let place = (firstPlace + position - start) % capacity
    return Array(ring[place..<(place + min(end - position, limit, ring.count - place))])
  }

  /// Adds bytes, and drops the oldest ones.
  mutating func add(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
    guard !bytes.isEmpty else { return }
    store(UnsafeRawBufferPointer(rebasing: bytes.suffix(capacity)))
    // What is larger than the memory ends the kept bytes, too.
    if bytes.count > capacity { forget(count) }
    let added = min(bytes.count, capacity)
    count += added
    end += bytes.count
    if head < runs.count, time &- runs[runs.count - 1].time < resolution {
      runs[runs.count - 1].count += added
    } else {
      runs.append(Run(time: time, count: added))
    }
    while runs.count - head > Self.runLimit {
      count -= runs[head].count
      head += 1
    }
    forget(count - capacity)
  }

  /// Drops the bytes before a position.
  mutating func forget(before position: Int) { forget(min(position - start, count)) }

  /// Drops the runs of bytes that began before a time.
  mutating func forget(before time: UInt64) {
    while head < runs.count, runs[head].time < time { forget(runs[head].count) }
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    if ring.count < capacity {
      let part = rest.prefix(capacity - ring.count)
      ring.append(contentsOf: part)
      rest = rest.dropFirst(part.count)
    }
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(capacity - next))
      ring.withUnsafeMutableBytes { ring in
        UnsafeMutableRawBufferPointer(rebasing: ring[next...]).copyMemory(from: part)
      }
      next = (next + part.count) % capacity
      rest = rest.dropFirst(part.count)
    }
  }

  /// Drops a number of the oldest bytes.
  private mutating func forget(_ number: Int) {
    var rest = number
    while rest > 0 {
      let part = min(rest, runs[head].count)
      runs[head].count -= part
      count -= part
      rest -= part
      if runs[head].count == 0 { head += 1 }
    }
    guard head > 64, head > runs.count / 2 else { return }
    runs.removeFirst(head)
    head = 0
  }
}

extension ReceivedHistory {
  /// The maximum size of the messages for a viewer, in bytes of telnet. Lines of a few bytes cost
  /// more than that in messages: the oldest are left out then.
  static let messageLimit = 131_072

  /// The messages for a viewer, the oldest first. Short pieces that arrived at about the same time
  /// share a message.
  ///
  /// - Parameter limit: the maximum size of the messages, in bytes of telnet.
  static func messages(of pieces: [Piece], atMost limit: Int = messageLimit) -> [SharingMessage] {
    var parts: [(time: UInt64, bytes: [UInt8])] = []
    for piece in pieces {
      var rest = piece.bytes[...]
      while !rest.isEmpty {
        let last = parts.count - 1
        let room = last < 0 ? 0 : SharingMessage.historyLimit - parts[last].bytes.count
        if room > 0, piece.time >= parts[last].time, piece.time - parts[last].time < resolution {
          parts[last].bytes += rest.prefix(room)
          rest = rest.dropFirst(room)
        } else {
          parts.append((piece.time, Array(rest.prefix(SharingMessage.historyLimit))))
          rest = rest.dropFirst(SharingMessage.historyLimit)
        }
      }
    }
    var size = 0
    let newest = parts.reversed().prefix {
      size += Self.size($0.bytes)
      return size <= limit
    }
    return newest.reversed().map { .history(time: $0.time, $0.bytes) }
  }

  /// The maximum size of messages, in bytes of telnet.
  static func size(of messages: [SharingMessage]) -> Int {
    messages.reduce(0) {
      switch $1 {
      case .history(_, let bytes), .screen(let bytes): $0 + size(bytes)
      default: $0
      }
    }
  }

  /// A byte that begins commands of telnet is doubled. The command, the time and the marks are at
  /// most 32 bytes.
  private static func size(_ bytes: [UInt8]) -> Int {
    bytes.count + bytes.count { $0 == TelnetCommand.interpretAsCommand } + 32
  }
}

extension Scrollback {
  /// The bytes that the device sent most recently, for members who join the session.
  package var lastPieces: [ReceivedHistory.Piece] {
    var pieces: [ReceivedHistory.Piece] = []
    var rest = ReceivedHistory.capacity
    for number in lines.reversed() {
      guard
        let piece = withLine(
          number,
          { line in
            line.isMark
              ? nil : ReceivedHistory.Piece(time: line.time * 1_000_000, bytes: Array(line.bytes))
          }) ?? nil
      else { continue }
      rest -= piece.bytes.count
      guard rest >= 0 else { break }
      pieces.append(piece)
    }
    return pieces.reversed()
  }
}
