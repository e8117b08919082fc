import Posix
import SerialCore
import SystemPackage

/// Reports the events of a session to the user: its device is opened, lost and found again; the driver
/// changed a setting.
final class SessionNarrator: SessionObserver {
  private let console: Console
  /// The keys that quit and help, in words; nil if the user has no keyboard here, empty if another port
  /// has said them.
  var keys: () -> String? = { nil }
  /// How the user reopens a released port, in words; nil if there is no way.
  var wayBack: String?
  /// The programs that have the released port, in words; nil if there are none.
  var borrowers: () -> String? = { nil }
  private var goneAt: MonotonicTime?
  private var hasBeenOpen = false

  init(on console: Console) { self.console = console }

  /// Prints the first line of a session: its port and settings, or the device that it waits for.
  func greet(_ session: Session) {
    switch session.state {
    case .open(let port, let settings) where !hasBeenOpen:
      hasBeenOpen = true
      warnOfDifferences(in: session)
      // Nothing is said between pipes, where all is as expected.
      if keys() != nil { sayOpened(port, settings) }
    case .waitingForDevice(_, .failed(let error)) where error.code == .busy:
      // Who has the port was said when opening it failed.
      if let keys = keys(), !keys.isEmpty { console.say(keys) }
    case .waitingForDevice(let port, _): sayWithKeys("waiting for \(port.inWords).")
    case .open, .closed, .opening, .released: break
    }
  }

  private func sayOpened(_ port: Endpoint, _ settings: LineSettings) {
    sayWithKeys("\(port) at \(settings).")
  }

  private func sayWithKeys(_ text: String) {
    let keys = keys() ?? ""
    console.say(keys.isEmpty ? text : "\(text) \(keys)")
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice(let port, _)):
      goneAt = .now
      console.say("\(port) is gone, waiting for it to come back.")
    case (.open, .released(let port)), (.waitingForDevice(let port, _), .released):
      goneAt = .now
      // Other programs need the path.
      let path = port.path.map(\.string) ?? port.inWords
      console.say(
        borrowers().map { "\(path) is lent to \($0)." }
          ?? "\(path) is released for other programs.\(wayBack.map { " \($0) takes it back." } ?? "")"
      )
    case (.released, .waitingForDevice(let port, _)):
      console.say("reopening \(port.inWords).")
    case (.opening(_, after: .released), .waitingForDevice(_, .failed(let error))):
      console.say("\(Failure(error).message) Trying again.")
    case (.opening(_, after: .some), .open(let port, let settings)):
      if hasBeenOpen {
        console.say("\(port) is back\(absence()).")
      } else {
        hasBeenOpen = true
        sayOpened(port, settings)
      }
      warnOfDifferences(in: session)
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _), (.released, _):
      break
    }
  }

  /// Warns of settings that the driver changed.
  func warnOfDifferences(in session: Session) {
    guard case .open(_, let actual) = session.state else { return }
    for difference in session.requestedSettings.differences(from: actual) {
      console.warn(
        "warning: the driver set \(difference.setting) \(difference.actual) instead of "
          + "\(difference.requested).")
    }
  }

  private func absence() -> String {
    guard let goneAt else { return "" }
    let tenths = (MonotonicTime.now - goneAt).nanoseconds / 100_000_000
    return " after \(tenths / 10).\(tenths % 10) s"
  }
}
