import PlainText
import SerialCore

/// What has the pen, in words.
extension Author {
  /// What it does: `image.bin is being sent`, `login.txt is running`.
  var activity: String { kind == .file ? "\(name) is being sent" : "\(name) is running" }

  /// What the user would leave unfinished: `image.bin is sent`.
  var completion: String { kind == .file ? "\(name) is sent" : "\(name) has ended" }

  /// What the user lets it do: `keep sending`.
  var continuation: String { kind == .file ? "keep sending" : "keep it running" }
}

extension TerminalState.Progress: CustomStringConvertible {
  var description: String {
    switch self {
    case .bytes(let count, let size): "\(count.grouped) of \(size.counted("byte"))"
    case .line(let line): "line \(line)"
    }
  }
}
