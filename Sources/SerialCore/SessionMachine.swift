/// The transitions of a session, as a pure function of state and event.
///
/// It decides; ``Session`` then performs the action.
struct SessionMachine {
  /// An event of a session.
  enum Event: Hashable {
    case open(Endpoint)
    case wait(Endpoint)
    case opened(LineSettings)
    case openFailed(SerialError)
    case settingsChanged(LineSettings)
    case linkLost(SerialError)
    case deviceReturned(Endpoint)
    case deviceMissing
    case release
    case takeBack
    case close
  }

  /// An action of a session.
  enum Action: Hashable {
    case openLink(Endpoint)
    /// Closes the link, whether it is open or still being opened.
    case closeLink
    case lendLink
  }

  private(set) var state = SessionState.closed(nil)
  /// Whether the session waits for a lost device.
  var waitsForLostDevice: Bool

  /// Changes the state according to an event.
  ///
  /// - Returns: the action to perform after the change.
  /// - Throws: ``SerialError`` if the event is a request that the state does not allow; the state
  ///   does not change then.
  mutating func handle(_ event: Event) throws(SerialError) -> Action? {
    switch (state, event) {
    case (.closed, .open(let port)):
      state = .opening(port, after: nil)
      return .openLink(port)
    case (.closed, .wait(let port)):
      state = .waitingForDevice(port, .absent)
      return nil
    case (.opening(let bound, _), .open(let port)), (.open(let bound, _), .open(let port)),
      (.waitingForDevice(let bound, _), .open(let port)), (.released(let bound), .open(let port)),
      (.opening(let bound, _), .wait(let port)), (.open(let bound, _), .wait(let port)),
      (.waitingForDevice(let bound, _), .wait(let port)), (.released(let bound), .wait(let port)):
      // A session has one device: it must be closed before it is bound to another.
      throw SerialError(.alreadyBound, in: "open \(port)", at: bound)

    case (.waitingForDevice(_, let reason), .deviceReturned(let port)):
      state = .opening(port, after: reason)
      return .openLink(port)
    case (.opening(let port, _), .opened(let settings)):
      state = .open(port, settings)
      return nil
    case (.opening(_, after: nil), .openFailed(let error)):
      state = .closed(.failed(error))
      return .closeLink
    case (.opening(let port, after: .some), .openFailed(let error)):
      // Permissions or a holder may still prevent it; the code that watches the node tries again.
      state = .waitingForDevice(port, .failed(error))
      return .closeLink

    case (.open(let port, _), .settingsChanged(let settings)):
      state = .open(port, settings)
      return nil
    case (.open(let port, _), .linkLost(let error)):
      state = waitsForLostDevice ? .waitingForDevice(port, .lost(error)) : .closed(.lost(error))
      return .closeLink
    case (.open, .close), (.opening, .close):
      state = .closed(.requested)
      return .closeLink
    case (.waitingForDevice, .close), (.released, .close):
      state = .closed(.requested)
      return nil

    case (.open(let port, _), .release):
      state = .released(port)
      return .lendLink
    case (.opening(let port, _), .release):
      state = .released(port)
      return .closeLink
    case (.waitingForDevice(let port, _), .release):
      // A device that comes back meanwhile is for the other programs, too.
      state = .released(port)
      return nil
    case (.released, .deviceReturned(let port)):
      // Other programs use it: only its path is noted.
      state = .released(port)
      return nil
    case (.released(let port), .takeBack):
      // Its node may have changed, or be missing: the code that watches devices knows.
      state = .waitingForDevice(port, .released)
      return nil
    case (.waitingForDevice(let port, .released), .deviceMissing):
      if !waitsForLostDevice {
        state = .closed(.lost(SerialError(.lost, in: "take back", at: port)))
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
