import SystemPackage

/// The transitions of a session, as a pure function of state and event.
///
/// It decides; ``Session`` then performs the action.
struct SessionMachine {
  /// An event of a session.
  enum Event: Hashable {
    case open(FilePath)
    case wait(FilePath)
    case opened(LineSettings)
    case openFailed(SerialError)
    case settingsChanged(LineSettings)
    case linkLost(SerialError)
    case deviceReturned(FilePath)
    case deviceMissing
    case release
    case takeBack
    case close
  }

  /// An action of a session.
  enum Action: Hashable {
    case openLink(FilePath)
    case closeLink
    case lendLink
  }

  private(set) var state = SessionState.closed(nil)
  /// Whether the session waits for a lost device.
  var waitsForLostDevice: Bool

  /// Changes the state according to an event.
  ///
  /// - Returns: the action to perform after the change.
  /// - Throws: ``SerialError`` if the event is a request that the state does not allow; the state does
  ///   not change then.
  mutating func handle(_ event: Event) throws(SerialError) -> Action? {
    switch (state, event) {
    case (.closed, .open(let path)):
      state = .opening(path, after: nil)
      return .openLink(path)
    case (.closed, .wait(let path)):
      state = .waitingForDevice(path, .absent)
      return nil
    case (.opening(let bound, _), .open(let path)), (.open(let bound, _), .open(let path)),
      (.waitingForDevice(let bound, _), .open(let path)), (.released(let bound), .open(let path)),
      (.opening(let bound, _), .wait(let path)), (.open(let bound, _), .wait(let path)),
      (.waitingForDevice(let bound, _), .wait(let path)), (.released(let bound), .wait(let path)):
      // A session has one device: it must be closed before it is bound to another.
      throw SerialError(.alreadyBound, in: "open \(path)", at: bound)

    case (.waitingForDevice(_, let reason), .deviceReturned(let path)):
      state = .opening(path, after: reason)
      return .openLink(path)
    case (.opening(let path, _), .opened(let settings)):
      state = .open(path, settings)
      return nil
    case (.opening(_, after: nil), .openFailed(let error)):
      state = .closed(.failed(error))
      return nil
    case (.opening(let path, after: .some), .openFailed(let error)):
      // Permissions or a holder may still prevent it; the code that watches the node tries again.
      state = .waitingForDevice(path, .failed(error))
      return nil

    case (.open(let path, _), .settingsChanged(let settings)):
      state = .open(path, settings)
      return nil
    case (.open(let path, _), .linkLost(let error)):
      state = waitsForLostDevice ? .waitingForDevice(path, .lost(error)) : .closed(.lost(error))
      return .closeLink
    case (.open, .close):
      state = .closed(.requested)
      return .closeLink
    case (.waitingForDevice, .close), (.opening, .close), (.released, .close):
      state = .closed(.requested)
      return nil

    case (.open(let path, _), .release):
      state = .released(path)
      return .lendLink
    case (.waitingForDevice(let path, _), .release), (.opening(let path, _), .release):
      // A device that comes back meanwhile is for the other programs, too.
      state = .released(path)
      return nil
    case (.released, .deviceReturned(let path)):
      // Other programs use it: only its path is noted.
      state = .released(path)
      return nil
    case (.released(let path), .takeBack):
      // Its node may have changed, or be missing: the code that watches devices knows.
      state = .waitingForDevice(path, .released)
      return nil
    case (.waitingForDevice(let path, .released), .deviceMissing):
      if !waitsForLostDevice {
        state = .closed(.lost(SerialError(.lost, in: "take back", at: path)))
      }
      return nil

    // Events that come too late, or twice: the hang-up and the removal of a device arrive in either
    // order, and the second one changes nothing.
    case (.closed, .linkLost), (.waitingForDevice, .linkLost), (.opening, .linkLost),
      (.released, .linkLost), (.closed, .deviceReturned), (.open, .deviceReturned),
      (.opening, .deviceReturned), (.closed, .deviceMissing), (.open, .deviceMissing),
      (.opening, .deviceMissing), (.waitingForDevice, .deviceMissing),
      (.released, .deviceMissing), (.closed, .settingsChanged),
      (.waitingForDevice, .settingsChanged), (.opening, .settingsChanged),
      (.released, .settingsChanged), (.closed, .close), (.closed, .release), (.released, .release),
      (.closed, .takeBack), (.open, .takeBack), (.opening, .takeBack),
      (.waitingForDevice, .takeBack):
      return nil

    // The result of an opening that was not requested: a mistake in the session itself.
    case (.closed, .opened), (.open, .opened), (.waitingForDevice, .opened), (.released, .opened),
      (.closed, .openFailed), (.open, .openFailed), (.waitingForDevice, .openFailed),
      (.released, .openFailed):
      preconditionFailure("\(event) in \(state)")
    }
  }
}
