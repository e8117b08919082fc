/// A piece of the log of another program's session, while it comes.
final class FarLogPiece {
  private var bytes: [UInt8] = []
  private var offset: UInt64 = 0
  private var count = 0
  private var answer: LogDownload.Answer?

  /// Waits for the piece at an offset, of a number of bytes at most. Another one that is on its way
  /// gets no answer.
  func begin(_ count: Int, at offset: UInt64, answer: @escaping LogDownload.Answer) {
    (bytes, self.count, self.offset, self.answer) = ([], count, offset, answer)
  }

  /// Takes the next bytes. A session that sends more than a piece is not believed.
  func add(_ new: [UInt8]) {
    guard answer != nil else { return }
    guard bytes.count + new.count <= LogDownload.longestPiece else {
      return fail(at: offset, because: "the session has sent too much of its log")
    }
    bytes += new
  }

  /// The bytes of the piece at an offset are complete.
  func end(at offset: UInt64, size: UInt64, name: String) {
    // A longer one at the same offset may have been on its way.
    let wanted = Array(bytes.prefix(count))
    bytes = []
    guard !wanted.isEmpty || offset >= size || count == 0 else {
      return fail(at: offset, because: "the session has sent nothing of its log")
    }
    finish(at: offset, .success(.init(wanted, ofSize: Int(clamping: size), name: name)))
  }

  /// The piece at an offset does not come.
  func fail(at offset: UInt64, because reason: String) {
    finish(at: offset, .failure(LogDownload.Failure(reason)))
  }

  private func finish(
    at offset: UInt64, _ result: Result<LogDownload.Piece, LogDownload.Failure>
  ) {
    // What was asked for before may have been on its way.
    guard offset == self.offset, let answer else { return }
    self.answer = nil
    answer(result)
  }
}
