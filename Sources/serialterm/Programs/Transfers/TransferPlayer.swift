import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import TextTools
import TransferProtocols

/// Transfers files on an open port, for `send`, `receive`, scripts and in a session. It manages the
/// files and the exchange, and puts events in words.
final class TransferPlayer: RunningExchange {
  /// How a transfer ended.
  enum End {
    case done
    /// It failed. The sentence has the reason.
    case failed(String)
    /// The device did not send what paced sending waits for. The sentence has the reason.
    case timedOut(String)
    /// The user has stopped it. The sentence names what was not transferred.
    case stopped(String)
    /// The port is gone, or the session ends. The sentence names what was not transferred.
    case cutOff(String)
  }

  /// A report about a running transfer.
  enum Report {
    /// Its progress, at most ten times a second.
    case status(TransferStatus)
    /// A file was transferred. The path is that of a received file.
    case file(TransferSummary, FilePath?)
    /// A message for the user, as a sentence.
    case message(String)

    /// The report as a sentence for the user; nil for progress.
    var sentence: String? {
      switch self {
      case .status: nil
      case .file(let summary, let path): summary.words(isReceiving: path != nil, storedAt: path)
      case .message(let sentence): sentence
      }
    }
  }

  let order: TransferOrder
  private let port: Port
  private let loop: IOLoop
  private let stopReason: () -> String?
  private let onReport: (Report) -> Void
  private let onEnd: (End) -> Void
  private lazy var runner = ExchangeRunner(
    exchange, on: port.session, receivingFrom: port.controller.hub, loop: loop, storage: storage,
    onReport: { [unowned self] in handleReport($0) }, onEnd: { [unowned self] in ended($0) })
  private let exchange: TransferExchange
  private let storage: any TransferStorage
  private let folder: IncomingFolder?
  /// The reason why the transfer is slow; nil for none.
  private let advice: String?
  private let takesPen: Bool
  private let answerLimit: Duration?
  private var isRunning = false

  /// Prepares a transfer; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - penHolder: the author that already has the pen; nil if the transfer takes it.
  ///   - answerLimit: the time limit for the text that `--wait-for` waits for; nil for none.
  ///   - outlivesLoss: whether it continues when a lost device returns, if the protocol can.
  ///   - stopReason: returns why the program ends it, as a phrase; nil if it does not.
  ///   - onReport: called with each report.
  ///   - onEnd: called once, at the end, after the pen was released. The player then lives to the
  ///     end of the turn.
  /// - Throws: ``Failure`` if the line cannot carry the protocol, or the files cannot be used.
  init(
    _ order: TransferOrder, on port: Port, loop: IOLoop, withPenOf penHolder: Author? = nil,
    answerLimit: Duration? = nil, outlivesLoss: Bool,
    stopReason: @escaping () -> String? = { nil }, onReport: @escaping (Report) -> Void,
    onEnd: @escaping (End) -> Void
  ) throws(Failure) {
    self.order = order
    self.port = port
    self.loop = loop
    self.stopReason = stopReason
    self.onReport = onReport
    self.onEnd = onEnd
    takesPen = penHolder == nil
    self.answerLimit = order.fileProtocol.isPlain ? answerLimit : nil
    let check = LineCheck(of: port.session)
    if let obstacle = check.obstacle(to: order.fileProtocol) { throw Failure(.usage, obstacle) }
    let rate = check.settings?.bytesPerSecond
    let author: Author
    switch order.files {
    case .send(let paths):
      for path in paths { _ = try FileSource(ofUser: path) }
      (storage, folder) = (OutgoingFiles(paths, named: order.sentName), nil)
      let name = order.sentName ?? paths[0].lastComponent?.string ?? paths[0].string
      author = penHolder ?? .file(paths.count == 1 ? name : paths.count.counted("file"))
    case .receive(let path, var rules):
      rules.continuesPartial = order.fileProtocol.resumes
      do throws(TransferStorageError) {
        let opened = try IncomingFolder(at: path, rules)
        (storage, folder) = (opened, opened)
      } catch {
        throw Failure(.otherFailure, "\(error.path): \(error.error).")
      }
      author = penHolder ?? Author(.receiver, rules.name ?? "a file")
    }
    let fileCount: Int? = if case .send(let paths) = order.files { paths.count } else { nil }
    exchange = TransferExchange(
      try order.machine(bytesPerSecond: rate), by: author, isReceiving: folder != nil,
      fileCount: fileCount, bytesPerSecond: rate, answerLimit: self.answerLimit,
      outlivesLoss: outlivesLoss && order.fileProtocol.resumes)
    advice = check.advice(on: order.fileProtocol)
  }

  /// Starts the transfer.
  ///
  /// - Parameter early: the bytes that the device sent earlier.
  /// - Throws: ``SerialError`` if the port is not open, or another author has the pen.
  func begin(afterReceiving early: [UInt8] = []) throws(SerialError) {
    // A script that contains the transfer stops it, and cuts it off.
    guard takesPen else { return try beginNow(afterReceiving: early) }
    try port.controller.sending.run(self) { () throws(SerialError) in
      try beginNow(afterReceiving: early)
    }
  }

  private func beginNow(afterReceiving early: [UInt8]) throws(SerialError) {
    if let advice { onReport(.message(advice)) }
    port.controller.pacer.restartLineCount()
    // Blocks are not lines, and their bytes are not paced like typed ones.
    if !order.fileProtocol.isPlain { port.controller.pacer.isSuspended = true }
    isRunning = true
    do throws(SerialError) {
      try runner.begin(afterReceiving: early, takesPen: takesPen)
    } catch {
      port.controller.pacer.isSuspended = false
      isRunning = false
      throw error
    }
  }

  /// The present progress.
  var status: TransferStatus { runner.exchange.status }

  func stop() { runner.stop() }

  func resume() { runner.resume() }

  func leave() { runner.leave() }

  var takesLeave: Bool { isRunning && port.session.isOpen }

  func portWasLost(discarding discarded: inout UnsentBytes) {
    runner.portWasLost(discarding: &discarded)
  }

  func cutOff(discarding discarded: inout UnsentBytes) { runner.cutOff(discarding: &discarded) }

  // MARK: Events

  private func handleReport(_ report: TransferExchange.Report) {
    switch report {
    case .status(let status): onReport(.status(status))
    case .file(let summary, let path):
      fileCount += 1
      port.controller.pacer.restartLineCount()
      onReport(.file(summary, path))
    case .declined(let file): onReport(.message(file.words))
    case .givenUp(let name):
      givenUp = name.shownAsName
      let place = folder?.partial.map { "; \($0.count.bytesWere) received, in \($0.path)" } ?? ""
      onReport(.message("\(name.shownAsName) was given up by the sender\(place)."))
    case .skipped(let name):
      onReport(.message("\(name.shownAsName) was skipped: the other side does not want it."))
    case .remark(let remark): onReport(.message(remark.words))
    }
  }

  /// The number of files that were transferred.
  private var fileCount = 0
  /// The file that the sender stopped most recently before its end.
  private var givenUp: String?

  private func ended(_ outcome: TransferExchange.Outcome) {
    port.controller.pacer.isSuspended = false
    isRunning = false
    port.controller.sending.didEnd(self)
    let partial = folder?.partial
    folder?.discardIfEmpty()
    // The owner releases it now, and the runner is calling.
    loop.atEndOfTurn { _ = self }
    switch outcome.end {
    case .done:
      onEnd(
        fileCount == 0
          ? .failed("no file was \(folder == nil ? "sent" : "received").")
          : givenUp.map { .failed("the sender gave up \($0).") } ?? .done)
    case .failed(let failure):
      let words = outcome.words(
        for: failure, because: reason(for: failure), fileCount: fileCount, partial: partial,
        patience: order.startPatience)
      switch failure {
      case .unanswered: onEnd(.timedOut(words))
      case .stopped: onEnd(.stopped(words))
      case .cutOff: onEnd(.cutOff(words))
      default: onEnd(.failed(words))
      }
    }
  }
}

extension TransferPlayer {
  /// The reason for a failure that only this side knows, as a phrase; nil for others.
  private func reason(for failure: TransferFailure) -> String? {
    switch failure {
    case .unanswered:
      port.standstill("within \((answerLimit ?? .zero).inSeconds) s", namesLine: true)
    // The end of the program may leave no time to stop it.
    case .stopped, .cutOff: stopReason()
    default: nil
    }
  }
}

extension TransferOrder {
  /// The side of the protocol that this program has.
  ///
  /// - Throws: ``Failure`` if the protocol cannot receive.
  fileprivate func machine(bytesPerSecond: Int?) throws(Failure) -> any TransferMachine {
    var conditions = TransferConditions(bytesPerSecond: bytesPerSecond)
    conditions.startPatience = startPatience
    conditions.lineEnd = lineEnd
    switch files {
    case .send: return fileProtocol.sender(conditions)
    case .receive(_, let rules):
      guard let receiver = fileProtocol.receiver else {
        throw Failure(.usage, "\(fileProtocol.rawValue) cannot receive files.")
      }
      conditions.largestFile = rules.largestFile
      return receiver(conditions)
    }
  }
}

extension Author.Kind {
  /// A file that is received.
  static let receiver = Author.Kind("receiver")
}
