import SystemPackage

/// The transitions of a session, as a pure function of state and event.
///
/// It decides; ``Session`` performs what it decided afterwards.
struct SessionMachine {
  /// What happens to a session.
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

  /// What the session does about it.
  enum Action: Hashable {
    case openLink(FilePath)
    case closeLink
  }

  private(set) var state = SessionState.closed(nil)
  /// Whether a session whose device goes away waits for it.
  var waitsForLostDevice: Bool

  /// Takes an event.
  ///
  /// - Returns: what to do now that the state has changed.
  /// - Throws: ``SerialError`` when the event is a request that the state does not allow; the
  ///   state stays as it is.
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
      // One session, one device: it must be closed before it is bound to another.
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
      // A node that has just come back is often not ours yet; whoever watches it tries again.
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
      return .closeLink
    case (.waitingForDevice(let path, _), .release), (.opening(let path, _), .release):
      // A device that comes back meanwhile is somebody else's to use, too.
      state = .released(path)
      return nil
    case (.released, .deviceReturned(let path)):
      // Others use it; where it is, is all that matters of it.
      state = .released(path)
      return nil
    case (.released(let path), .takeBack):
      // It may be another node by now, or not there: whoever watches devices knows.
      state = .waitingForDevice(path, .released)
      return nil
    case (.waitingForDevice(let path, .released), .deviceMissing):
      if !waitsForLostDevice {
        state = .closed(.lost(SerialError(.lost, in: "take back", at: path)))
      }
      return nil

    // Facts that come too late, or twice: the hang-up and the removal of a device arrive in
    // either order, and the second changes nothing.
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

    // The answer of an opening that nobody asked for: a mistake of the session itself.
    case (.closed, .opened), (.open, .opened), (.waitingForDevice, .opened), (.released, .opened),
      (.closed, .openFailed), (.open, .openFailed), (.waitingForDevice, .openFailed),
      (.released, .openFailed):
      preconditionFailure("\(event) in \(state)")
    }
  }
}
