import Patterns

@testable import Scrollback

extension Scrollback {
  /// Adds a text, as a whole or in pieces of a size.
  func add(_ text: String, at milliseconds: UInt64 = 0, inPiecesOf size: Int = .max) {
    add(Array(text.utf8), at: milliseconds, inPiecesOf: size)
  }

  func add(_ bytes: [UInt8], at milliseconds: UInt64 = 0, inPiecesOf size: Int = .max) {
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(size).withUnsafeBytes { add($0, at: milliseconds * 1_000_000) }
      rest = rest.dropFirst(size)
    }
  }

  /// The bytes of all kept lines.
  var contents: [[UInt8]] {
    lines.map { number in withLine(number) { Array($0.bytes) } ?? [] }
  }

  /// The lines as text.
  var texts: [String] { contents.map { String(decoding: $0, as: UTF8.self) } }

  /// The times of the lines, in milliseconds.
  var times: [UInt64] { lines.compactMap { number in withLine(number, \.time) } }
}

extension ScrollbackSearch {
  convenience init(_ regex: String, in scrollback: Scrollback) throws {
    self.init(of: scrollback, for: try Pattern(parsing: regex))
  }

  /// The numbers of all lines that were found.
  var found: [Int] {
    var numbers: [Int] = []
    var next = 0
    while let number = match(from: next) {
      numbers.append(number)
      next = number + 1
    }
    return numbers
  }

  /// The numbers of all lines that were found, searched from the end.
  var foundBackwards: [Int] {
    var numbers: [Int] = []
    var next = Int.max
    while let number = match(before: next) {
      numbers.append(number)
      next = number
    }
    return numbers.reversed()
  }
}

/// A generator of numbers that are the same in every run.
struct Generator {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }
}
