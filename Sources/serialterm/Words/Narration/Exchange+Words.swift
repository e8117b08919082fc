import SerialCore
import TextTools

/// Texts about the author that has the pen.
extension Author {
  /// Its activity: `image.bin is being sent`, `login.txt is running`.
  var activity: String {
    switch kind {
    case .file: "\(name) is being sent"
    case .receiver: "\(name) is being received"
    default: "\(name) is running"
    }
  }

  /// The event to wait for before leaving: `image.bin is sent`.
  var completion: String {
    switch kind {
    case .file: "\(name) is sent"
    case .receiver: "\(name) is received"
    default: "\(name) has ended"
    }
  }

  /// The choice that lets it continue: `keep sending`.
  var continuation: String {
    switch kind {
    case .file: "keep sending"
    case .receiver: "keep receiving"
    default: "keep it running"
    }
  }
}

extension TerminalState.Progress: CustomStringConvertible {
  var description: String {
    switch self {
    case .bytes(let count, let size): "\(count.grouped) of \(size.counted("byte"))"
    case .line(let line): "line \(line)"
    case .transfer(let status): status.line
    }
  }
}
