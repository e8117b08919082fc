import Posix
import SerialCore
import SystemPackage

/// Says what a session did, to its user: when its device goes and comes, what the driver changed.
final class SessionNarrator: SessionObserver {
  private let console: Console
  /// What takes a released port back, in words; nil if the user cannot.
  var wayBack: String?
  /// Says who has a port that is released; nil if it was released for nobody in particular.
  var borrowers: () -> String? = { nil }
  private var goneAt: MonotonicTime?

  init(on console: Console) { self.console = console }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice(let path, _)):
      goneAt = .now
      console.say("\(path) is gone, waiting for it to come back.")
    case (.open, .released(let path)), (.waitingForDevice(let path, _), .released):
      goneAt = .now
      console.say(
        borrowers().map { "\(path) is lent to \($0)." }
          ?? "\(path) is released for other programs.\(wayBack.map { " \($0) takes it back." } ?? "")"
      )
    case (.released, .waitingForDevice(let path, _)):
      console.say("\(path) is to be taken back.")
    case (.opening(_, after: .released), .waitingForDevice(_, .failed(let error))):
      console.say("\(Failure(error).message) It is tried again.")
    case (.opening(_, after: .some), .open(let path, _)):
      console.say("\(path) is back\(absence()).")
      warnOfDifferences(in: session)
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _), (.released, _):
      break
    }
  }

  /// Says which settings the driver took otherwise than they were asked for.
  func warnOfDifferences(in session: Session) {
    guard case .open(_, let actual) = session.state else { return }
    for difference in session.requestedSettings.differences(from: actual) {
      console.warn(
        "warning: \(difference.setting) \(difference.requested) was asked for, "
          + "the driver set \(difference.actual).")
    }
  }

  private func absence() -> String {
    guard let goneAt else { return "" }
    let tenths = (MonotonicTime.now - goneAt).nanoseconds / 100_000_000
    return " after \(tenths / 10).\(tenths % 10) s"
  }
}
