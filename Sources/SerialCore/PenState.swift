/// Who may write to a session: its owner, unless another author has taken the pen.
struct PenState {
  /// The author who may write while nobody has taken the pen.
  var owner = Author.program
  /// The pen that was taken and not put back.
  private var taken: Taken?
  private var lastNumber = 0

  private struct Taken {
    let number: Int
    let author: Author
    let outlivesLoss: Bool
  }

  /// The author who may write now.
  var writer: Author { taken?.author ?? owner }

  /// Hands the pen to an author.
  ///
  /// - Parameter outlivesLoss: whether the author keeps it while the session waits for a lost
  ///   device.
  /// - Returns: the number of this pen; nil if another author has it.
  mutating func take(for author: Author, outlivesLoss: Bool) -> Int? {
    guard taken == nil else { return nil }
    lastNumber += 1
    taken = Taken(number: lastNumber, author: author, outlivesLoss: outlivesLoss)
    return lastNumber
  }

  /// Returns a pen to the owner. Does nothing if it was put back already: another author may have
  /// the next one.
  mutating func putBack(_ number: Int) {
    if taken?.number == number { taken = nil }
  }

  /// Returns the pen to the owner, because the port was closed.
  ///
  /// - Parameter isLoss: whether the device was lost, and the session waits for it.
  mutating func portWasClosed(byLoss isLoss: Bool) {
    if let taken, !(isLoss && taken.outlivesLoss) { self.taken = nil }
  }
}
