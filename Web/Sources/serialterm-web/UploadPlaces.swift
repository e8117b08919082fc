import NIOCore
import Synchronization
import SystemPackage

/// The places for files that pages send: few at one time.
final class UploadPlaces: Sendable {
  private struct State {
    var table: Table
    /// The files, by the numbers of their places.
    var files: [Int: SystemPackage.FileDescriptor] = [:]
    var numbers: DescriptorNumbers
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - limit: the number of places.
  ///   - numbers: the numbers for files.
  init(limit: Int, numbers: Range<CInt>) {
    state = Mutex(State(table: Table(limit: limit), numbers: DescriptorNumbers(numbers)))
  }

  /// Makes a file without a name, whose number was not used lately.
  ///
  /// - Throws: the errors of open(2).
  func makeFile() throws(Errno) -> SystemPackage.FileDescriptor {
    let file = try UnnamedFile.make(in: "/tmp")
    return state.withLock { $0.numbers.move(file) }
  }

  /// Takes a place.
  ///
  /// - Parameters:
  ///   - file: the file, which stays open until ``end(_:)``.
  ///   - isComplete: whether nothing of it is missing.
  /// - Returns: the number of the place; nil if all are taken.
  func begin(_ file: SystemPackage.FileDescriptor, isComplete: Bool) -> Int? {
    state.withLock { (state) -> Int? in
      guard let begun = state.table.begin(at: .now(), isComplete: isComplete) else { return nil }
      state.files[begun.number] = file
      // What a file holds that stalls is given back at once. Its page learns of it at its next
      // piece.
      if let stalled = begun.stalled, let lost = state.files.removeValue(forKey: stalled) {
        try? lost.resize(to: 0)
      }
      return begun.number
    }
  }

  /// Notes that a piece of a file has come.
  ///
  /// - Returns: whether the file still has its place.
  func advance(_ number: Int, isComplete: Bool) -> Bool {
    state.withLock { $0.table.advance(number, at: .now(), isComplete: isComplete) }
  }

  /// Gives a place back.
  func end(_ number: Int) {
    state.withLock {
      $0.table.end(number)
      $0.files[number] = nil
    }
  }

  /// Who has the places. A value.
  struct Table {
    let limit: Int
    /// When the last piece of a file came, by the numbers of the places; nil for a complete file.
    private var places: [Int: NIODeadline?] = [:]
    private var next = 0

    /// The time without a piece after which a place goes to another file that needs one.
    static let patience = TimeAmount.seconds(30)

    init(limit: Int) { self.limit = limit }

    /// Takes a place; if there is none, that of the file that has stalled for the longest time.
    ///
    /// - Returns: the number of the place, and that of the file that has lost it; nil if there is
    ///   none.
    mutating func begin(
      at now: NIODeadline, isComplete: Bool
    ) -> (number: Int, stalled: Int?)? {
      var stalled: Int?
      if places.count >= limit {
        let waiting = places.compactMap { number, last in last.map { (number: number, last: $0) } }
        guard let oldest = waiting.min(by: { $0.last < $1.last }),
          now - oldest.last >= Self.patience
        else { return nil }
        places[oldest.number] = nil
        stalled = oldest.number
      }
      next += 1
      places.updateValue(isComplete ? nil : now, forKey: next)
      return (next, stalled)
    }

    /// Notes that a piece of a file has come.
    ///
    /// - Returns: whether the file still has its place.
    mutating func advance(_ number: Int, at now: NIODeadline, isComplete: Bool) -> Bool {
      guard places[number] != nil else { return false }
      places.updateValue(isComplete ? nil : now, forKey: number)
      return true
    }

    /// Gives a place back.
    mutating func end(_ number: Int) { places.removeValue(forKey: number) }
  }
}
