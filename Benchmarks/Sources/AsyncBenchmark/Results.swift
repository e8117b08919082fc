import CAllocations
import Foundation

/// A program received other bytes than the far end sent, or a program beside this one failed.
struct WrongRun: Error {
  let program: String
}

/// What a program has received for an order: whether the bytes are right, and what they cost.
final class Reception {
  /// The number of pieces whose allocations are not counted.
  private static let warmUp = 500

  private let expected: Int
  private var count = 0
  private var pieceCount = 0
  private var isRight = true
  private let start = ContinuousClock.now
  private var duration = Duration.zero
  private var allocations = (first: 0, last: 0)

  /// Starts the clock.
  init(of order: Order) { expected = order.length }

  var isComplete: Bool { count >= expected }

  /// The costs; nil if a byte was wrong.
  var costs: Costs? {
    guard isRight && count == expected else { return nil }
    let counted = Double(pieceCount - Self.warmUp)
    return Costs(
      seconds: duration / .seconds(1),
      allocations: Double(allocations.last - allocations.first) / counted)
  }

  /// Compares a piece with what the far end sends.
  func take(_ piece: UnsafeRawBufferPointer) {
    pieceCount += 1
    if pieceCount == Self.warmUp { allocations.first = allocations_count() }
    var rest = piece[...]
    while !rest.isEmpty {
      let place = count % FarEnd.block.count
      let size = min(FarEnd.block.count - place, rest.count)
      let isSame = FarEnd.block.withUnsafeBytes {
        memcmp($0.baseAddress! + place, UnsafeRawBufferPointer(rebasing: rest).baseAddress!, size)
          == 0
      }
      isRight = isRight && isSame
      count += size
      rest = rest.dropFirst(size)
    }
    guard isComplete else { return }
    duration = start.duration(to: .now)
    allocations.last = allocations_count()
  }

  func take(_ piece: [UInt8]) { piece.withUnsafeBytes { take($0) } }
}

/// Requests that are sent one after the other.
struct RequestLog {
  static let count = 1_500
  private static let warmUp = 300

  private var samples: [Double] = []
  private var isRight = true
  private var start = ContinuousClock.now
  private var allocations = (first: 0, last: 0)

  /// Starts the clock.
  init() { samples.reserveCapacity(Self.count) }

  var isComplete: Bool { samples.count == Self.count }

  /// The costs of the median request; nil if an answer was wrong.
  var costs: Costs? {
    guard isRight else { return nil }
    return Costs(
      seconds: median(Array(samples.dropFirst(Self.warmUp))),
      allocations: Double(allocations.last - allocations.first) / Double(Self.count - Self.warmUp))
  }

  /// Notes an answer. The next request starts.
  mutating func note(_ answer: String) {
    isRight = isRight && answer.utf8.elementsEqual(FarEnd.answer.utf8.dropLast())
    let now = ContinuousClock.now
    samples.append(start.duration(to: now) / .seconds(1))
    if samples.count == Self.warmUp { allocations.first = allocations_count() }
    allocations.last = allocations_count()
    start = now
  }
}

/// What an order or a request costs.
struct Costs {
  let seconds: Double
  /// For each piece or request, once everything has its size; nan if it was not measured.
  let allocations: Double
}

func median(_ values: [Double]) -> Double {
  values.isEmpty ? .nan : values.sorted()[values.count / 2]
}
