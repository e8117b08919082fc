/// One side of a file transfer: events go in, actions come out. A value.
///
/// ## Principles of operation
///
/// - It has no clock, no files and no line. Its driver performs its actions in order, and answers
///   those that have an answer with one event.
/// - The first event is ``TransferEvent/begun``. The last action is ``TransferAction/finish(_:)``;
///   no event follows it.
/// - Times are durations since a fixed moment, which the driver chooses.
/// - Every transfer by a protocol ends while its port is open: all waits and all numbers of
///   retries are limited.
package protocol TransferMachine: Sendable {
  /// Handles an event.
  ///
  /// - Returns: the actions to perform, in order.
  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction]
}

/// An event of a transfer.
package enum TransferEvent: Hashable, Sendable {
  /// The transfer has begun.
  case begun
  /// The other side sent bytes, at least one.
  case received([UInt8])
  /// The driver of the port took this number of the sent bytes, in order.
  case sent(Int)
  /// The answer to ``TransferAction/awaitRoom(below:)``.
  case room
  /// The answer to ``TransferAction/nextFile``: the next file to send; nil after the last one.
  case file(TransferredFile?)
  /// The answer to ``TransferAction/read(at:count:)``. There are fewer bytes than requested only at
  /// the end of the file; after the end there are none.
  case read([UInt8])
  /// The answer to ``TransferAction/offer(_:)``: the file is accepted. This number of its bytes
  /// exist from an earlier transfer; 0 for none.
  case accepted(partialCount: Int)
  /// The answer to ``TransferAction/offer(_:)``: the file is declined.
  case declined
  /// The answer to ``TransferAction/checksum(count:)``: the CRC-32 of the requested bytes of the
  /// partial file; nil if they cannot be read.
  case checksum(UInt32?)
  /// A file could not be read or written. This event replaces the answer, or follows a write.
  /// The transfer ends.
  case storageFailed
  /// The time of ``TransferAction/wake(at:)`` has come.
  case woken
  /// The port was lost, and queued bytes are discarded. A transfer that does not end waits for
  /// ``regained``; nothing is sent or received before that.
  case lost
  /// The port has returned after ``lost``.
  case regained
  /// The user stops the transfer.
  case stopped
}

/// An action that a transfer requests from its driver.
package enum TransferAction: Hashable, Sendable {
  /// Queue bytes to be sent.
  case send([UInt8])
  /// Discard queued bytes that the driver of the port has not taken.
  case withdraw
  /// Wait until fewer than this number of bytes are queued; answered by ``TransferEvent/room``.
  case awaitRoom(below: Int)
  /// Open the next file to send; answered by ``TransferEvent/file(_:)``.
  case nextFile
  /// Read from the file that is being sent, from an offset in bytes;
  /// answered by ``TransferEvent/read(_:)``.
  case read(at: Int, count: Int)
  /// Decide whether to receive a file, and prepare to write it; answered by
  /// ``TransferEvent/accepted(partialCount:)`` or ``TransferEvent/declined``.
  case offer(TransferredFile)
  /// Compute the CRC-32 of the first bytes of the partial file; answered
  /// by ``TransferEvent/checksum(_:)``.
  case checksum(count: Int)
  /// Keep only the first bytes of the partial file, and write after them. Without this action, a
  /// partial file is overwritten from its beginning.
  case resume(at: Int)
  /// Write bytes at the end of the file that is being received. Not answered,
  /// except by ``TransferEvent/storageFailed``.
  case write([UInt8])
  /// The present file, sent or received, has ended. A received file gets its final name.
  case endFile(FileEnd)
  /// Wake at a time; nil for never. This replaces the previous time.
  case wake(at: Duration?)
  /// Pass on bytes of the other side that are not part of the transfer: text before or after it.
  case pass([UInt8])
  /// Report the progress. At most one report is needed for each event.
  case progress(TransferProgress)
  /// Report a remark for a person.
  case say(TransferRemark)
  /// End.
  case finish(TransferEnd)
}

/// How one file of a transfer ended.
package enum FileEnd: Hashable, Sendable {
  /// All of it was transferred.
  case complete
  /// The receiver, or the user, did not want it.
  case skipped
}

/// How a transfer ended.
package enum TransferEnd: Hashable, Sendable {
  /// All files were transferred, or skipped.
  case done
  case failed(TransferFailure)
}

/// Why a transfer failed.
package enum TransferFailure: Hashable, Sendable, CaseIterable {
  /// The other side did not begin.
  case noAnswer
  /// The other side stopped answering, or sending.
  case timedOut
  /// Too many blocks were damaged or lost.
  case tooManyErrors
  /// Everything was acknowledged except the end of the file.
  case endNotAcknowledged
  /// A block arrived that is neither the next nor the previous one; or, without acknowledgements, a
  /// damaged one, which cannot be sent again.
  case outOfStep
  /// The other side cancelled.
  case cancelled
  /// The other side could not read or write its file (ZMODEM's ZFERR).
  case otherStorage
  /// The file on this side could not be read or written.
  case storage
  /// The other side sent more than it announced, or more than is allowed.
  case tooLarge
  /// The file on either side ended before its announced size.
  case tooShort
  /// The other side announced a size that is not a number.
  case malformedSize
  /// The device did not send the text that paced sending waits for after a line.
  case unanswered
  /// The user stopped it.
  case stopped
  /// The port was lost, or closed.
  case cutOff
}

/// A remark for a person about a transfer that continues.
package enum TransferRemark: Hashable, Sendable {
  /// The other side requested that a command be run (ZMODEM's ZCOMMAND). It was refused.
  case commandRefused([UInt8])
  /// The announced size of this file exceeds the limit, or the protocol cannot transfer it.
  /// The transfer ends.
  case tooLarge(TransferredFile)
  /// The transfer continues an earlier one at this offset, in bytes.
  case resumed(at: Int)
  /// The file is padded to the length of its last block, because XMODEM transmits no length: this
  /// number of 1A bytes at its end may not belong to it.
  case padding(Int)
}

/// The progress of a transfer.
package struct TransferProgress: Hashable, Sendable {
  /// The number of bytes of the present file that the other side has acknowledged, or that
  /// were received. A protocol without acknowledgements counts the bytes that the driver of
  /// the port has taken.
  package var position: Int
  /// The number of blocks that were sent or requested again, in the whole transfer.
  package var retries: Int

  package init(position: Int = 0, retries: Int = 0) {
    self.position = position
    self.retries = retries
  }
}
