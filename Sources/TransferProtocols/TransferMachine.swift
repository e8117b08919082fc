/// One side of a file transfer as a value: events go in, actions come out.
///
/// ## Principles of operation
///
/// - It has no clock, no file and no line. Its driver performs its actions in order, and answers those that have
///   an answer with one event.
/// - The first event is ``TransferEvent/begun``. The last action is ``TransferAction/finish(_:)``; no event
///   comes after it.
/// - Times are durations since a fixed moment, which the driver chooses.
/// - Every transfer by a protocol ends while its port is open: each wait has a limit, and so has each number of
///   retries.
public protocol TransferMachine: Sendable {
  /// Takes an event.
  ///
  /// - Returns: what to do, in order.
  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction]
}

/// What happens to a transfer.
public enum TransferEvent: Hashable, Sendable {
  /// The transfer has begun.
  case begun
  /// The other side sent bytes; at least one.
  case received([UInt8])
  /// The driver of the port took this number of the bytes that were sent, in their order.
  case sent(Int)
  /// The answer to ``TransferAction/awaitRoom(below:)``.
  case room
  /// The answer to ``TransferAction/nextFile``: the file that is sent next; nil after the last one.
  case file(TransferredFile?)
  /// The answer to ``TransferAction/read(at:count:)``: fewer bytes than asked for only at the end of the
  /// file, where there are none.
  case read([UInt8])
  /// The answer to ``TransferAction/offer(_:)``: the file is wanted. Of an earlier transfer of it, that
  /// number of bytes are there; 0 for none.
  case accepted(partialCount: Int)
  /// The answer to ``TransferAction/offer(_:)``: the file is not wanted.
  case declined
  /// The answer to ``TransferAction/checksum(count:)``: the CRC-32 of those bytes of the partial file; nil
  /// if it cannot be read.
  case checksum(UInt32?)
  /// A file could not be read or written, in place of the answer, or after a write. The transfer ends.
  case storageFailed
  /// The time of ``TransferAction/wake(at:)`` has come.
  case woken
  /// The port was lost, and what was queued is discarded. A transfer that does not end waits for
  /// ``regained``; nothing is sent or received before that.
  case lost
  /// The port is back after ``lost``.
  case regained
  /// The user stops the transfer.
  case stopped
}

/// What a transfer asks its driver to do.
public enum TransferAction: Hashable, Sendable {
  /// Queue bytes to be sent.
  case send([UInt8])
  /// Discard what is queued, and was not taken by the driver of the port.
  case withdraw
  /// Wait until fewer than this number of bytes are queued; answered by ``TransferEvent/room``.
  case awaitRoom(below: Int)
  /// Open the next file to send; answered by ``TransferEvent/file(_:)``.
  case nextFile
  /// Read from the file that is being sent, from an offset in bytes; answered by ``TransferEvent/read(_:)``.
  case read(at: Int, count: Int)
  /// Decide whether a file is received, and prepare its place; answered by
  /// ``TransferEvent/accepted(partialCount:)`` or ``TransferEvent/declined``.
  case offer(TransferredFile)
  /// Compute the CRC-32 of the first bytes of the partial file; answered by ``TransferEvent/checksum(_:)``.
  case checksum(count: Int)
  /// Keep only the first bytes of the partial file, and write after them. Without it, a partial file is
  /// written from its beginning.
  case resume(at: Int)
  /// Write bytes at the end of the file that is being received. Not answered, except by
  /// ``TransferEvent/storageFailed``.
  case write([UInt8])
  /// The present file, sent or received, has come to its end. A received one gets its name.
  case endFile(FileEnd)
  /// Wake at a time; nil for never. Replaces the time before.
  case wake(at: Duration?)
  /// Bytes that the other side sent and that are not part of the transfer: the text before it, or after it.
  case pass([UInt8])
  /// Report how far the transfer is. At most one is needed for each event.
  case progress(TransferProgress)
  /// Say something that a person should know.
  case say(TransferRemark)
  /// End.
  case finish(TransferEnd)
}

/// How one file of a transfer ended.
public enum FileEnd: Hashable, Sendable {
  /// All of it was transferred.
  case complete
  /// The receiver did not want it, or the user did not.
  case skipped
}

/// How a transfer ended.
public enum TransferEnd: Hashable, Sendable {
  /// All files were transferred, or skipped.
  case done
  case failed(TransferFailure)
}

/// Why a transfer failed.
public enum TransferFailure: Hashable, Sendable, CaseIterable {
  /// The other side did not begin.
  case noAnswer
  /// The other side stopped answering, or sending.
  case timedOut
  /// Too many blocks were damaged, or lost.
  case tooManyErrors
  /// Everything was acknowledged but the end of the file.
  case endNotAcknowledged
  /// A block came that is neither the next one nor the one before; or, without acknowledgements, a damaged
  /// one: nothing can be sent again.
  case outOfStep
  /// The other side cancelled.
  case cancelled
  /// The other side could not read or write its file (ZMODEM's ZFERR).
  case otherStorage
  /// The file here could not be read or written.
  case storage
  /// The other side sent more than it announced, or than is allowed.
  case tooLarge
  /// The other side, or the file here, ended before its announced size.
  case tooShort
  /// The user stopped it.
  case stopped
  /// The port was lost, or closed.
  case cutOff
}

/// What a person should know about a transfer that goes on.
public enum TransferRemark: Hashable, Sendable {
  /// The other side asked for a command to be run (ZMODEM's ZCOMMAND). It was refused.
  case commandRefused([UInt8])
  /// This file is announced as larger than is allowed, or than the protocol can carry. The transfer ends.
  case tooLarge(TransferredFile)
  /// The transfer goes on at this offset, in bytes, after an earlier one.
  case resumed(at: Int)
  /// The file is padded to the length of its last block, because XMODEM sends no length: this number of
  /// bytes 1A at its end may not belong to it.
  case padding(Int)
}

/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
  /// The number of bytes of the present file that the other side has acknowledged, or that were received.
  /// A protocol that sends without waiting counts what the driver of the port has taken.
  public var position: Int
  /// The number of blocks that were sent again, or asked for again, in the whole transfer.
  public var retries: Int

  public init(position: Int = 0, retries: Int = 0) {
    self.position = position
    self.retries = retries
  }
}
