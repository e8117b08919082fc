import Sessions
import SystemPackage
import TextTools
import Time
import TransferProtocols

/// Texts about file transfers.
extension [UInt8] {
  /// The bytes as the name of a file in a message.
  var shownAsName: String {
    isEmpty ? "the file" : String(decoding: self, as: UTF8.self).harmless
  }
}

extension TransferStatus {
  /// The progress in one line: `boot.bin 45 % [####....] 11.2 kB/s, 0:12 left`.
  var line: String { line(hasBar: true) }

  /// The progress in one line without a bar: `boot.bin 45 %, 11.2 kB/s, 0:12 left`.
  var plainLine: String { line(hasBar: false) }

  private func line(hasBar: Bool) -> String {
    if number == 0 {
      return isReceiving ? "waiting for the sender" : "waiting for the receiver"
    }
    var parts: [String] = []
    if let count, count > 1 { parts.append("\(number)/\(count)") }
    parts.append(name.shownAsName)
    if let percent { parts.append("\(percent) %\(hasBar ? " \(Self.bar(percent))" : "")") }
    let name = parts.joined(separator: " ")
    let details = details.joined(separator: ", ")
    return details.isEmpty ? name : name + (hasBar ? " " : ", ") + details
  }

  private var details: [String] {
    if isInterrupted { return ["interrupted: waiting for the device"] }
    var details = size == nil ? [position.counted("byte")] : []
    if let rate { details.append(Self.rate(rate)) }
    if let timeLeft, position < size ?? 0 { details.append("\(timeLeft.inMinutes) left") }
    if retries > 0 { details.append("\(retries) \(retries == 1 ? "retry" : "retries")") }
    return details
  }

  /// The transferred part of the file, in percent; nil if its size is unknown.
  var percent: Int? { size.map { $0 == 0 ? 100 : Swift.min(position, $0) * 100 / $0 } }

  private static func bar(_ percent: Int) -> String {
    let width = 20
    let filled = percent * width / 100
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: ".", count: width - filled) + "]"
  }

  /// A rate in bytes per second, with three or four digits.
  static func rate(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) B/s"
    case ..<100_000: "\(bytes / 1_000).\(bytes % 1_000 / 100) kB/s"
    case ..<1_000_000: "\(bytes / 1_000) kB/s"
    case ..<100_000_000: "\(bytes / 1_000_000).\(bytes % 1_000_000 / 100_000) MB/s"
    default: "\(bytes / 1_000_000) MB/s"
    }
  }
}

extension Duration {
  /// The duration in minutes and seconds: `0:12`, `75:00`.
  fileprivate var inMinutes: String {
    let seconds = (nanoseconds + 999_999_999) / 1_000_000_000
    return "\(seconds / 60):\(String(100 + seconds % 60).dropFirst())"
  }
}

extension TransferSummary {
  /// The message that the file was transferred, with the rate, and the path if it differs from
  /// the sender's name.
  func words(isReceiving: Bool, storedAt path: FilePath?) -> String {
    let verb = isReceiving ? "received" : "sent"
    var text = "\(verb) \(name.shownAsName), \(byteCount.counted("byte"))"
    if byteCount < size { text += " of \(size.grouped)" }
    let isMeasured = duration >= .milliseconds(100) && byteCount >= 1_024
    if isMeasured {
      text += " in \(duration.inTenths) s"
      text += ", \(TransferStatus.rate(Int(Double(byteCount) / (duration / .seconds(1)))))"
    }
    // A pseudo-terminal does not keep to a rate.
    if let efficiency, isMeasured, efficiency <= 1.02 {
      text += ", \(Int((Swift.min(efficiency, 1) * 100).rounded())) % of the line"
    }
    if retries > 0 { text += ", \(retries) \(retries == 1 ? "retry" : "retries")" }
    if let path, path.string.utf8.elementsEqual(name) == false {
      text += "; saved as \(path.string.harmless)" + reason(forNameOf: path)
    }
    return text + "."
  }

  /// Why the file has another name than the sender's; empty if it has that name.
  private func reason(forNameOf path: FilePath) -> String {
    let sent = name.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
    guard let stored = path.lastComponent?.string, !sent.isEmpty,
      stored.utf8.starts(with: sent + [UInt8(ascii: ".")])
    else { return "" }
    return ", because \(sent.shownAsName) exists"
  }
}

extension DeclinedFile {
  /// The message that the file is not received, with the reason.
  var words: String {
    let because =
      switch reason {
      case .name: "its name is empty or hidden, or leads out of the folder"
      case .characters: "its name has characters that a terminal cannot show"
      case .size(let size, let limit):
        "it has \(size.counted("byte")), and --max-size allows \(limit.grouped)"
      case .space(let size, let free):
        "it has \(size.counted("byte")), and \(free.bytesWere) free"
      }
    return "\(name.shownAsName) is not received: \(because)."
  }
}

extension TransferRemark {
  /// The remark as a sentence.
  var words: String {
    switch self {
    case .commandRefused(let command):
      "refused: the device asked to run a command here: "
        + String(decoding: command.prefix(200), as: UTF8.self).harmless
    case .tooLarge(let file):
      "\(file.name.shownAsName) has \((file.size ?? 0).counted("byte")), more than the protocol allows."
    case .resumed(let offset):
      "continuing after \(offset.counted("byte"))."
    case .padding(let count):
      """
      XMODEM fills the last block: the last \(count.counted("byte")) 1A of the file may not belong to \
      it.
      """
    }
  }
}

extension TransferExchange.Outcome {
  /// The message that the transfer failed, with the reason and the progress.
  ///
  /// - Parameters:
  ///   - cause: the reason as a phrase; nil for that of the failure.
  ///   - fileCount: the number of transferred files.
  ///   - partial: the received part of the present file.
  ///   - patience: the time that the program waited for the other side.
  func words(
    for failure: TransferFailure, because cause: String? = nil, fileCount: Int,
    partial: (path: FilePath, count: Int)?,
    patience: Duration
  ) -> String {
    let verb = status.isReceiving ? "received" : "sent"
    let what =
      status.number == 0 || fileCount >= status.number ? "nothing more" : status.name.shownAsName
    var text = "\(fileCount == 0 && status.number == 0 ? "nothing" : what) was \(verb)"
    if what == status.name.shownAsName, status.number > 0 {
      text = "\(what) was not \(verb) completely"
    }
    text += ": \(cause ?? reason(failure, patience))."
    if let partial {
      text += " \(partial.count.bytesWere) received; they are in \(partial.path.string.harmless)."
    } else if status.number > 0, !status.isReceiving {
      let size = status.size.map { " of \($0.grouped)" } ?? ""
      text += " \(status.position.grouped)\(size) bytes were accepted."
    }
    if let count = status.count, count > 1 {
      text += " \(fileCount) of \(count) files were \(verb)."
    }
    return text
  }

  private func reason(_ failure: TransferFailure, _ patience: Duration) -> String {
    switch failure {
    case .noAnswer:
      status.isReceiving
        ? "no sender began within \(patience.inSeconds) s"
        : "no receiver asked for it within \(patience.inSeconds) s; start it on the device first"
    case .timedOut: "the other side stopped answering"
    case .tooManyErrors: "too many blocks were damaged; check the line's settings and flow control"
    case .endNotAcknowledged: "everything was sent, but the other side did not confirm the end"
    case .outOfStep: "a block is missing"
    case .cancelled: "the other side cancelled"
    case .otherStorage: "the other side cannot \(status.isReceiving ? "read" : "write") its file"
    case .storage:
      storageError.map { "\($0.path.string.harmless): \($0.error)" } ?? "it cannot be read"
    case .tooLarge: "it is larger than announced or allowed"
    case .tooShort: "it ended before its announced size"
    case .malformedSize: "its announced size is not a number"
    case .stopped: "it was stopped"
    case .unanswered: "a line got no answer"
    case .cutOff: "the connection to the device was lost or closed"
    }
  }
}
