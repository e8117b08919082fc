/// Callers that wait for their turn, in the order of their calls.
///
/// Only the first one may act. It stays in the line while it waits for something to act on, so that
/// a later caller cannot overtake it. Used on one thread.
final class WaitingLine {
  private struct Caller {
    let id: Int
    var continuation: UnsafeContinuation<Void, Never>?
    /// Whether it was woken while it was not suspended.
    var isWoken = false

    mutating func wake() {
      if let continuation = continuation.take() { continuation.resume() } else { isWoken = true }
    }
  }

  private var callers: [Caller] = []
  private var lastID = 0

  /// The number of callers.
  var count: Int { callers.count }

  /// Adds a caller.
  ///
  /// - Parameter first: whether it goes before all others.
  /// - Returns: the number of the caller, for the other methods.
  func enter(first: Bool = false) -> Int {
    lastID += 1
    callers.insert(Caller(id: lastID), at: first ? 0 : callers.count)
    return lastID
  }

  /// Removes a caller, and wakes the one whose turn it is then.
  func leave(_ id: Int) {
    callers.removeAll { $0.id == id }
    wakeFirst()
  }

  /// Whether it is a caller's turn.
  func isFirst(_ id: Int) -> Bool { callers.first?.id == id }

  /// Suspends a caller until it is woken; not if that has happened since it was last suspended.
  /// Other work of the thread may run between a caller's look at the state and this call.
  func park(_ id: Int, _ continuation: UnsafeContinuation<Void, Never>) {
    guard let place = callers.firstIndex(where: { $0.id == id }) else {
      preconditionFailure("a caller waits after it left")
    }
    callers[place].continuation = continuation
    guard callers[place].isWoken else { return }
    callers[place].isWoken = false
    callers[place].wake()
  }

  /// Wakes a caller, if it is suspended.
  func wake(_ id: Int) {
    if let place = callers.firstIndex(where: { $0.id == id }) { callers[place].wake() }
  }

  /// Wakes the caller whose turn it is.
  func wakeFirst() {
    if !callers.isEmpty { callers[0].wake() }
  }

  /// Wakes every caller.
  func wakeAll() {
    for place in callers.indices { callers[place].wake() }
  }
}
