import PlainText
import SerialCore

/// What has the pen, in words.
extension Author {
  /// What it does: `image.bin is being sent`, `login.txt is running`.
  var activity: String {
    switch kind {
    case .file: "\(name) is being sent"
    case .receiver: "\(name) is being received"
    default: "\(name) is running"
    }
  }

  /// What the user would leave unfinished: `image.bin is sent`.
  var completion: String {
    switch kind {
    case .file: "\(name) is sent"
    case .receiver: "\(name) is received"
    default: "\(name) has ended"
    }
  }

  /// What the user lets it do: `keep sending`.
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
