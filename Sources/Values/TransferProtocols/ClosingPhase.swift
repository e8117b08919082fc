/// The end of a transfer that failed. It waits until the other side is silent, so that no bytes of
/// the transfer reach the screen. Text at the end belongs to the user.
struct ClosingPhase {
  private let end: TransferEnd
  private let limit: Duration
  private var text = TrailingText()

  /// The required silence of the line.
  private static let silence = Duration.milliseconds(300)
  /// The maximum time, even if the other side does not stop sending.
  private static let longest = Duration.seconds(1)

  init(_ failure: TransferFailure, at now: Duration) {
    end = .failed(failure)
    limit = now + Self.longest
  }

  /// The actions at its beginning.
  func begin(at now: Duration) -> [TransferAction] { [.wake(at: min(now + Self.silence, limit))] }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    switch event {
    case .received(let bytes) where now < limit:
      text.add(bytes)
      return [.wake(at: min(now + Self.silence, limit))]
    case .woken where now < limit: return text.actions + [.finish(end)]
    case .received, .woken, .lost: return [.finish(end)]
    default: return []
    }
  }
}

/// Cancels a transfer. It contains more CANs than any receiver needs, and backspaces that delete
/// those that a shell has received as text.
let cancelSequence =
  [UInt8](repeating: BlockCharacter.can, count: 8)
  + [UInt8](repeating: BlockCharacter.backspace, count: 10)
