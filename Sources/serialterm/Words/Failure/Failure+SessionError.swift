import DeviceWatch
import Logs
import Sessions

extension Failure {
  /// Describes why a session could not start, or has ended.
  init(_ error: SessionError) {
    switch error {
    case .binding(let error): self.init(error)
    case .port(let error): self.init(error)
    case .indistinguishable(let devices):
      let list = devices.lines.joined(separator: "\n")
      self.init(.usage, "several devices may be the lost one:\n\(list)")
    case .log(let error): self.init(error)
    case .watching(let error):
      self.init(.otherFailure, "the port cannot be watched: \(error).")
    case .settling(let error):
      self = error as? Failure ?? Failure(.otherFailure, "\(error).")
    }
  }

  /// Describes why logging could not start.
  init(_ error: LogError) {
    switch error {
    case .file(let error): self.init(.logFailed, "\(error)\(error.advice).")
    case .stillWritten(let path): self.init(.logFailed, "\(path) is still being written.")
    }
  }
}

extension LogFileError {
  /// The advice for the error.
  fileprivate var advice: String {
    switch reason {
    case .exists: "; --log-append appends to it"
    case .accessRefused: "; you must be a member of the group"
    case .symbolicLink, .notAFile, .system: ""
    }
  }
}
