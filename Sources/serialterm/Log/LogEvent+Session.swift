import Logs
import SerialCore
import SystemPackage

extension LogEvent {
  /// What a change of a session's state means for its log; nil where it means nothing.
  init?(from old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .open(let path, let settings)):
      self.init(.settings, at: path.string, settings: "\(settings)")
    case (.opening(_, after: nil), .open(let path, let settings)):
      self.init(.opened, at: path.string, settings: "\(settings)")
    case (_, .open(let path, let settings)):
      self.init(.back, at: path.string, settings: "\(settings)")
    case (.open(let path, _), .waitingForDevice), (.open(let path, _), .closed(.lost)):
      self.init(.lost, at: path.string)
    case (_, .released(let path)):
      self.init(.released, at: path.string)
    case (_, .closed), (_, .opening), (_, .waitingForDevice):
      return nil
    }
  }
}

extension LogFileError {
  /// What to do about it.
  var advice: String {
    switch reason {
    case .exists: "; --log-append adds to it"
    case .symbolicLink, .notAFile, .system: ""
    }
  }
}
