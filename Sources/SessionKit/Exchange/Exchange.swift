package import Posix
package import Scripting
package import SerialCore
package import SystemPackage

/// A conversation with the device, as a value: events go in, actions come out.
///
/// ## Principles of operation
///
/// - It has no clock, reads and writes nothing, and never waits. An ``ExchangeRunner`` performs its
///   actions, in order, and tells it what happens.
/// - The first event is ``ExchangeEvent/begun``, or the bytes that the device sent before it. The last action is
///   ``ExchangeAction/finish(_:)``; no event comes after it.
/// - While it has an ``author``, it has the pen: nobody else writes.
/// - Every exchange ends when it is stopped or cut off.
///
/// A new protocol is one file with a type that conforms, and its test. ``PlainFile`` is the example.
package protocol Exchange {
  /// What it reports while it runs.
  associatedtype Report
  /// How it ends.
  associatedtype Outcome
  typealias Actions = [ExchangeAction<Report, Outcome>]

  /// Who writes; nil for an exchange that writes nothing, and needs no pen.
  var author: Author? { get }
  /// Which bytes of the device it gets.
  var reception: ExchangeReception { get }
  /// Whether its outcome tells which of its bytes were not sent. Otherwise the owner of the session
  /// counts them with those of others.
  var reportsUnsent: Bool { get }
  /// Whether it goes on when a lost device is back. It keeps the pen meanwhile.
  var outlivesLoss: Bool { get }

  /// Takes an event.
  ///
  /// - Returns: what to do, in order.
  mutating func handle(_ event: ExchangeEvent, at now: MonotonicTime) -> Actions
}

extension Exchange {
  /// The owner of the session counts them.
  package var reportsUnsent: Bool { false }
  /// It ends with the loss of the port.
  package var outlivesLoss: Bool { false }
}

/// Which bytes of the device an exchange gets.
package enum ExchangeReception {
  /// None.
  case nothing
  /// All of them, as everybody else does.
  case shared
  /// All of them, and nobody else but the logs gets any.
  case alone
}

/// What happens to an exchange.
package enum ExchangeEvent: Hashable, Sendable {
  /// The exchange has begun, and has the pen.
  case begun
  /// The device sent bytes.
  case received([UInt8])
  /// The driver took bytes of the exchange.
  case sent(Int)
  /// The port refused what was to be sent; nothing of it is queued.
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
  /// Sending has made no progress for the time of ``ExchangeAction/watchStandstill(_:)``.
  case standstill
  /// The answer to ``ExchangeAction/perform(_:)``: whether it was done.
  case performed(Bool)
  /// The time of ``ExchangeAction/wake(at:)`` has come.
  case woken
  /// The answer to ``ExchangeAction/yield``, in another turn of the loop.
  case resumed
  /// The user stops the exchange.
  case stopped
  /// The port is lost, and what was not sent is discarded. ``regained`` or ``cutOff(sent:)`` follows. Only for
  /// an exchange that outlives it.
  case lost
  /// The lost device is back, and its port is open.
  case regained
  /// The session is about to end: nothing more may be sent. ``cutOff(sent:)`` follows.
  case leaving
  /// The port is gone, or the session ends: what was not sent is discarded. Of the bytes of the
  /// exchange, that many were sent.
  case cutOff(sent: Int)
}

/// What an exchange asks its runner to do.
package enum ExchangeAction<Report, Outcome> {
  /// Send bytes.
  case send([UInt8])
  /// Read from the source when there is room to send; answered by one event.
  case read(atMost: Int)
  /// Wait until fewer than this number of bytes are queued; answered in another turn of the loop by
  /// ``ExchangeEvent/room``.
  case awaitRoom(below: Int)
  /// Do something with the files of a transfer; answered by ``ExchangeEvent/stored(_:)`` or
  /// ``ExchangeEvent/storageFailed(_:)``.
  case store(StorageOperation)
  /// Give received bytes that the exchange does not use to everybody else.
  case pass([UInt8])
  /// Discard what was sent and not taken by the driver, and forget a read that is not answered.
  case withdraw
  /// Wait until everything that was sent is on the line; answered by ``ExchangeEvent/drained``.
  case drain
  /// Report it when sending makes no progress for a time; nil for not any more.
  case watchStandstill(Duration?)
  /// Do something with the line; answered by ``ExchangeEvent/performed(_:)``.
  case perform(LineOperation)
  /// Set the timer; nil stops it.
  case wake(at: MonotonicTime?)
  /// Let others have their turn; answered by ``ExchangeEvent/resumed``.
  case yield
  /// Report something.
  case report(Report)
  /// End.
  case finish(Outcome)
}

extension ExchangeAction: Equatable where Report: Equatable, Outcome: Equatable {}
extension ExchangeAction: Sendable where Report: Sendable, Outcome: Sendable {}

/// What can be done with the line of a port besides sending.
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
  /// Have the far end play a sequence.
  case play(LineSequence)
  /// Send or receive files, with the pen of the exchange.
  case transfer(FileStep)
}
