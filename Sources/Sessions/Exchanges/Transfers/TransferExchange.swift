package import SerialCore
package import SystemPackage
package import Time
package import TransferProtocols

/// Transfers files by a protocol, as an exchange on a session.
///
/// It has the line for itself meanwhile. If the protocol can continue after an interruption, the
/// exchange outlives the loss of the device.
package struct TransferExchange: Exchange {
  /// A report of the running transfer.
  package enum Report: Hashable, Sendable {
    /// The progress, at most ten times a second.
    case status(TransferStatus)
    /// A file was transferred. The path is that of a received file.
    case file(TransferSummary, storedAt: FilePath?)
    /// A file was declined on this side.
    case declined(DeclinedFile)
    /// The other side declined the file with this name.
    case skipped([UInt8])
    /// The other side stopped sending this file before its end, and continues with another one.
    case givenUp([UInt8])
    case remark(TransferRemark)
  }

  /// How the transfer ended.
  package struct Outcome: Hashable, Sendable {
    package let end: TransferEnd
    /// The progress at the end.
    package let status: TransferStatus
    /// The file that could not be read or written; nil if there was no such error.
    package let storageError: TransferStorageError?
  }

  package let author: Author?
  package let reception = ExchangeReception.alone
  package let reportsUnsent = true
  package let outlivesLoss: Bool
  /// The present progress.
  package private(set) var status = TransferStatus()

  private var machine: any TransferMachine
  private let bytesPerSecond: Int?
  private let answerLimit: Duration?
  private var rate = TransferRate()
  /// The time when the first byte of the present file was read or written, and its offset.
  private var beginning: (time: Duration, position: Int)?
  private var lastReport: Duration?
  /// Whether this side has declined the present file.
  private var isDeclined = false
  private var storageError: TransferStorageError?
  private var hasEnded = false
  /// Whether the storage has not answered yet that a received file is complete.
  private var isStoring = false
  /// The end to report when the storage has answered.
  private var end: TransferEnd?

  /// The minimum time between two progress reports.
  private static let reportInterval = Duration.milliseconds(100)

  /// Creates the exchange.
  ///
  /// - Parameters:
  ///   - machine: one side of the protocol.
  ///   - author: the author of what is sent.
  ///   - isReceiving: whether files are received.
  ///   - fileCount: the number of files; nil if it is unknown.
  ///   - bytesPerSecond: the capacity of the line; nil if it is unknown.
  ///   - answerLimit: the time limit for the answer that paced sending waits for; nil for none.
  ///   - outlivesLoss: whether the exchange continues when a lost device returns.
  package init(
    _ machine: any TransferMachine, by author: Author, isReceiving: Bool, fileCount: Int? = nil,
    bytesPerSecond: Int?, answerLimit: Duration? = nil, outlivesLoss: Bool
  ) {
    self.machine = machine
    self.author = author
    self.bytesPerSecond = bytesPerSecond
    self.answerLimit = answerLimit
    self.outlivesLoss = outlivesLoss
    status.isReceiving = isReceiving
    status.count = fileCount
  }

  package mutating func handle(
    _ event: ExchangeEvent, at now: MonotonicTime
  ) -> [ExchangeAction<Report, Outcome>] {
    let now = Duration.nanoseconds(now.nanoseconds)
    switch event {
    case .begun:
      return (answerLimit.map { [.watchAnswers($0)] } ?? []) + advance(on: .begun, at: now)
    case .received(let bytes): return advance(on: .received(bytes), at: now)
    case .sent(let count): return advance(on: .sent(count), at: now)
    case .room: return advance(on: .room, at: now)
    case .stored(let answer): return handleAnswer(answer, at: now)
    case .storageFailed(let error):
      storageError = error
      isStoring = false
      if end != nil { return finish(.failed(.storage)) }
      return advance(on: .storageFailed, at: now)
    case .woken: return advance(on: .woken, at: now)
    // The protocol informs the other side if there is time.
    case .stopped, .leaving: return advance(on: .stopped, at: now)
    case .lost:
      status.isInterrupted = true
      return advance(on: .lost, at: now) + [.report(.status(status))]
    case .regained:
      status.isInterrupted = false
      return [.report(.status(status))] + advance(on: .regained, at: now)
    case .standstill: return [.withdraw] + finish(.failed(.unanswered))
    case .cutOff, .sendFailed:
      isStoring = false
      return finish(.failed(.cutOff))
    case .read, .endOfSource, .sourceFailed, .drained, .performed, .resumed: return []
    }
  }

  private mutating func advance(on event: TransferEvent, at now: Duration) -> Actions {
    guard !hasEnded, end == nil else { return [] }
    var actions: Actions = []
    for action in machine.handle(event, at: now) { actions += carryOut(action, at: now) }
    return actions
  }

  // MARK: Files

  private mutating func handleAnswer(_ answer: StorageAnswer, at now: Duration) -> Actions {
    switch answer {
    case .file(let file):
      if let file { begin(file) }
      return advance(on: .file(file), at: now)
    case .read(let bytes):
      if beginning == nil { beginning = (now, 0) }
      return advance(on: .read(bytes), at: now)
    case .accepted(let count): return advance(on: .accepted(partialCount: count), at: now)
    case .declined(let file):
      isDeclined = true
      return [.report(.declined(file))] + advance(on: .declined, at: now)
    case .checksum(let crc): return advance(on: .checksum(crc), at: now)
    case .stored(let path):
      isStoring = false
      let report = Report.file(summary(at: now), storedAt: path)
      guard let end else { return [.report(report)] }
      return [.report(report)] + finish(end)
    }
  }

  private mutating func begin(_ file: TransferredFile) {
    (status.name, status.size) = (file.name, file.size)
    (status.position, status.rate) = (0, nil)
    status.number += 1
    (rate, beginning, isDeclined) = (TransferRate(), nil, false)
  }

  private func summary(at now: Duration) -> TransferSummary {
    let beginning = beginning ?? (now, status.position)
    let count = status.position - beginning.position
    let duration = now - beginning.time
    let efficiency = bytesPerSecond.flatMap { capacity in
      duration > .zero ? Double(count) / (Double(capacity) * (duration / .seconds(1))) : nil
    }
    return TransferSummary(
      name: status.name, size: status.position, byteCount: count, duration: duration,
      retries: status.retries, efficiency: efficiency)
  }

  // MARK: Actions of the protocol

  private mutating func carryOut(_ action: TransferAction, at now: Duration) -> Actions {
    switch action {
    case .send(let bytes): return [.send(bytes)]
    case .withdraw: return [.withdraw]
    case .awaitRoom(let level): return [.awaitRoom(below: level)]
    case .nextFile: return [.store(.nextFile)]
    case .read(let offset, let count): return [.store(.read(at: offset, count: count))]
    case .offer(let file):
      begin(file)
      return [.store(.offer(file))]
    case .checksum(let count): return [.store(.checksum(count: count))]
    case .resume(let offset):
      beginning = (now, offset)
      status.position = offset
      return [.store(.resume(at: offset))]
    case .write(let bytes):
      if beginning == nil { beginning = (now, 0) }
      return [.store(.write(bytes))]
    case .endFile(.complete) where !status.isReceiving:
      return [.store(.endFile(.complete)), .report(.file(summary(at: now), storedAt: nil))]
    case .endFile(.skipped) where status.isReceiving && !isDeclined:
      return [.report(.givenUp(status.name)), .store(.endFile(.skipped))]
    case .endFile(let end):
      isStoring = end == .complete
      let skipped: Actions =
        status.isReceiving || end == .complete ? [] : [.report(.skipped(status.name))]
      return [.store(.endFile(end))] + skipped
    case .pass(let bytes): return [.pass(bytes)]
    case .wake(let time):
      return [.wake(at: time.map { MonotonicTime(nanoseconds: $0.nanoseconds) })]
    case .progress(let progress): return note(progress, at: now)
    case .say(let remark):
      if case .resumed(let offset) = remark {
        beginning = (now, offset)
        status.position = offset
      }
      return [.report(.remark(remark))]
    case .finish(let end): return finish(end)
    }
  }

  private mutating func note(_ progress: TransferProgress, at now: Duration) -> Actions {
    status.position = progress.position
    status.retries = progress.retries
    if let lastReport, now - lastReport < Self.reportInterval { return [] }
    lastReport = now
    status.rate = rate.note(progress.position, at: now) ?? status.rate
    return [.report(.status(status))]
  }

  private mutating func finish(_ end: TransferEnd) -> Actions {
    guard !hasEnded else { return [] }
    self.end = end
    if isStoring { return [] }
    hasEnded = true
    return [.finish(Outcome(end: end, status: status, storageError: storageError))]
  }
}
