@testable import Telnet

extension TelnetMachine {
  /// Receives bytes in pieces of a size, and returns the data and the events.
  mutating func receive(
    _ bytes: [UInt8], inPiecesOf size: Int = .max
  ) -> (data: [UInt8], events: [Event]) {
    var (data, events) = ([UInt8](), [Event]())
    var rest = bytes[...]
    while !rest.isEmpty {
      events += rest.prefix(size).withUnsafeBytes { receive($0, into: &data) }
      rest = rest.dropFirst(size)
    }
    return (data, events)
  }

  mutating func encoded(_ data: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    data.withUnsafeBytes { encode($0, into: &bytes) }
    return bytes
  }

  mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }
}

extension ComPortClient {
  /// Receives all of some bytes.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, into data: inout [UInt8]) -> [Event] {
    var copy = Array(bytes)
    let received = copy.withUnsafeMutableBytes { receive($0, atMost: .max) }
    data += copy.prefix(received.dataCount)
    return received.events
  }
}

/// A generator of numbers that are the same in every run.
struct Generator {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(below(256)) } }
}
