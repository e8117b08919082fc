package import Dialogues
package import SerialCore
package import SystemPackage
package import Time

/// A conversation with the device, as a value: events go in, actions come out.
///
/// ## Principles of operation
///
/// - It has no clock, performs no I/O and never waits. An ``ExchangeRunner`` performs its actions
///   in order, and reports what happens as events.
/// - The first event is ``ExchangeEvent/begun``, or the bytes that the device sent earlier. The
///   last action is ``ExchangeAction/finish(_:)``; no event follows it.
/// - While an exchange with an ``author`` runs, it has the pen: nobody else can write.
/// - Every exchange ends when it is stopped or cut off.
///
/// A new conversation is one file with a conforming type, and its test. ``PlainFile`` is
/// an example.
package protocol Exchange {
  /// What it reports while it runs.
  associatedtype Report
  /// How it ends.
  associatedtype Outcome
  typealias Actions = [ExchangeAction<Report, Outcome>]

  /// The author of what is sent; nil for an exchange that sends nothing, and needs no pen.
  var author: Author? { get }
  /// The received bytes that the exchange gets.
  var reception: ExchangeReception { get }
  /// Whether the outcome includes the number of the exchange's bytes that were not sent. Otherwise
  /// the owner of the session counts them with those of other authors.
  var reportsUnsent: Bool { get }
  /// Whether the exchange continues when a lost device returns. It keeps the pen meanwhile.
  var outlivesLoss: Bool { get }

  /// Handles an event.
  ///
  /// - Returns: the actions to perform, in order.
  mutating func handle(_ event: ExchangeEvent, at now: MonotonicTime) -> Actions
}

extension Exchange {
  /// False: the owner of the session counts them.
  package var reportsUnsent: Bool { false }
  /// False: the exchange ends when the port is lost.
  package var outlivesLoss: Bool { false }
}

/// The received bytes that an exchange gets.
package enum ExchangeReception {
  /// None.
  case nothing
  /// All of them. Views and logs get them too.
  case shared
  /// All of them. Only the logs get them too.
  case alone
}

/// An event of an exchange.
package enum ExchangeEvent: Hashable, Sendable {
  /// The exchange has begun, and has the pen.
  case begun
  /// The device sent bytes.
  case received([UInt8])
  /// The driver took bytes of the exchange.
  case sent(Int)
  /// The port refused the bytes to be sent; none of them are queued.
  case sendFailed(SerialError)
  /// The answer to ``ExchangeAction/read(atMost:)``: bytes of the source.
  case read([UInt8])
  /// The answer to ``ExchangeAction/read(atMost:)`` at the end of the source.
  case endOfSource
  /// The answer to ``ExchangeAction/read(atMost:)`` when the source cannot be read.
  case sourceFailed(Errno)
  /// The answer to ``ExchangeAction/awaitRoom(below:)``.
  case room
  /// The answer to ``ExchangeAction/store(_:)``, if it has one.
  case stored(StorageAnswer)
  /// The operation of ``ExchangeAction/store(_:)`` failed.
  case storageFailed(TransferStorageError)
  /// The answer to ``ExchangeAction/drain``: everything is on the line.
  case drained
  /// Sending made no progress for the time given to ``ExchangeAction/watchStandstill(_:)`` or
  /// ``ExchangeAction/watchAnswers(_:)``.
  case standstill
  /// The answer to ``ExchangeAction/perform(_:)``.
  case performed(LineOperation.Outcome)
  /// The time of ``ExchangeAction/wake(at:)`` has come.
  case woken
  /// The answer to ``ExchangeAction/yield``, in another turn of the loop.
  case resumed
  /// The user stops the exchange.
  case stopped
  /// The port is lost, and unsent bytes are discarded. ``regained`` or ``cutOff(sent:)`` follows.
  /// Only an exchange that outlives the loss gets this event.
  case lost
  /// The lost device is back, and its port is open.
  case regained
  /// The session is about to end: the exchange may send nothing more. ``cutOff(sent:)`` follows.
  case leaving
  /// The port is gone, or the session ends, and unsent bytes are discarded. The value is the number
  /// of the exchange's bytes that were sent.
  case cutOff(sent: Int)
}

/// An action that an exchange requests from its runner.
package enum ExchangeAction<Report, Outcome> {
  /// Send bytes.
  case send([UInt8])
  /// Read from the source when there is room to send; answered by one event.
  case read(atMost: Int)
  /// Wait until fewer than this number of bytes are queued; answered in another turn of the
  /// loop by ``ExchangeEvent/room``.
  case awaitRoom(below: Int)
  /// Perform an operation on the files of a transfer; answered by
  /// ``ExchangeEvent/stored(_:)`` or ``ExchangeEvent/storageFailed(_:)``.
  case store(StorageOperation)
  /// Pass received bytes that the exchange does not use to the other subscribers.
  case pass([UInt8])
  /// Discard sent bytes that the driver has not taken, and cancel an unanswered read.
  case withdraw
  /// Wait until everything that was sent is on the line; answered by ``ExchangeEvent/drained``.
  case drain
  /// Report when sending makes no progress for this time; nil stops watching.
  case watchStandstill(Duration?)
  /// Report a standstill only when paced sending waits for an answer of the device for this time.
  case watchAnswers(Duration)
  /// Perform an operation on the line; answered by ``ExchangeEvent/performed(_:)``.
  case perform(LineOperation)
  /// Set the timer; nil stops it.
  case wake(at: MonotonicTime?)
  /// Let other events be handled first; answered by ``ExchangeEvent/resumed``.
  case yield
  /// Report something.
  case report(Report)
  /// End.
  case finish(Outcome)
}

extension ExchangeAction: Equatable where Report: Equatable, Outcome: Equatable {}
extension ExchangeAction: Sendable where Report: Sendable, Outcome: Sendable {}

/// An operation on a port's line other than sending.
package enum LineOperation: Hashable, Sendable {
  /// Assert and deassert output lines.
  case setLines(asserting: ModemLines, deasserting: ModemLines)
  /// Start or end a break.
  case setBreak(Bool)
  /// Send a break of a length.
  case sendBreak(Duration)
  /// Toggle an output line for a time.
  case pulse(ModemLines, Duration)
  /// Change the baud rate.
  case setBaudRate(UInt32)
  /// Make the far end play a sequence.
  case play(LineSequence)
  /// Send or receive files, with the pen of the exchange.
  case transfer(FileStep)

  /// What became of an operation.
  package enum Outcome: Hashable, Sendable {
    case done, refused
    /// The device did not send in time what paced sending waits for.
    case timedOut
  }
}
