package import Logs
package import SerialCore

extension LogEvent {
  /// Makes the event for a change of a session's state; nil if the change is not logged.
  ///
  /// - Parameters:
  ///   - isReturn: whether the session's port was open before.
  ///   - hasSettings: whether the port has line settings; a plain byte stream has none.
  package init?(
    from old: SessionState, to new: SessionState, isReturn: Bool, hasSettings: Bool = true
  ) {
    switch (old, new) {
    case (.open, .open(let port, let settings)):
      self.init(.settings, at: "\(port)", .settings("\(settings)"))
    case (_, .open(let port, let settings)):
      self.init(
        isReturn ? .back : .opened, at: "\(port)", hasSettings ? .settings("\(settings)") : nil)
    case (.open(let port, _), .waitingForDevice), (.open(let port, _), .closed(.lost)):
      self.init(.lost, at: "\(port)")
    case (_, .released(let port)):
      self.init(.released, at: "\(port)")
    case (_, .closed), (_, .opening), (_, .waitingForDevice):
      return nil
    }
  }

  /// A change of a port's modem lines.
  package init?(from old: ModemLines, to new: ModemLines, in state: SessionState) {
    guard let port = state.endpoint else { return nil }
    self.init(.lines, at: "\(port)", .lines(old: "\(old)", new: "\(new)"))
  }

  /// Makes the event for errors that a driver has counted; nil if it has counted none.
  package init?(errors: LineCounters, in state: SessionState) {
    let counts = errors.errors.map { ErrorCount($0.logName, Int(errors[$0])) }
    guard let port = state.endpoint, !counts.isEmpty else { return nil }
    self.init(.errors, at: "\(port)", .errors(counts))
  }
}

extension CountedError {
  /// The name of the loss in logs.
  fileprivate var logName: String {
    switch self {
    case .framing: "framing"
    case .parity: "parity"
    case .overrun: "overrun"
    case .bufferOverrun: "bufferOverrun"
    case .breakCondition: "break"
    }
  }
}
