/// Receives files by XMODEM, YMODEM or YMODEM-g.
///
/// It first requests blocks with a CRC-16, and then also blocks with a checksum, for senders that
/// support nothing else. Specification: C. Forsberg, "XMODEM/YMODEM Protocol Reference", 1988.
///
/// ## Validity
///
/// - A block is valid if its number, its complement and its check are correct. The next block is
///   accepted. The previous block is acknowledged again, because its acknowledgement was lost. Any
///   other block ends the transfer.
/// - EOT is valid if nothing follows it, CAN if there are two: damaged bytes are neither.
/// - After a damaged block, the receiver waits until the line is silent: its answer must not arrive
///   in the middle of bytes that are still being sent.
/// - A sender without acknowledgements may find two requests when it starts, and take the second
///   as that for the file: the file may follow its header immediately (lrzsz). It then takes the
///   answer to the header as that to EOT, so the next header may follow EOT immediately.
struct BlockReceiver: TransferMachine {
  private let expectsHeaders: Bool
  private let isStreaming: Bool
  private let conditions: TransferConditions

  private enum State {
    /// Waits for the storage to accept the file.
    case offering
    /// Waits for the next block or the end of the file.
    case awaitingBlock
    /// Discards bytes until the line is silent.
    case purging(until: Duration)
    /// EOT arrived. It is valid if nothing follows.
    case ending
    /// The transfer has failed. It waits, because the sender listens only between blocks.
    case awaitingSilence(TransferFailure, until: Duration)
    case closing(ClosingPhase)
    case ended
  }

  /// The progress within the present file.
  private enum Phase {
    /// Waits for the header, which may be that of the next file.
    case header(isFirst: Bool)
    /// Waits for the first block.
    case start
    case blocks
  }

  private var state = State.offering
  private var phase: Phase
  private var check = Block.Check.crc
  /// Received bytes that were not used yet.
  private var inbox: [UInt8] = []
  /// Whether a block has arrived.
  private var hasBegun = false
  /// The number of the next block.
  private var number: UInt8 = 1
  /// The announced size of the present file; nil if it is unknown.
  private var size: Int?
  /// Whether the present file is received but not kept.
  private var isSkipping = false
  private var progress = TransferProgress()
  /// The number of 1A bytes at the end of the last block.
  private var padding = 0
  /// The number of requests since the last valid block.
  private var errors = 0
  private var requests = 0
  /// The answer that is held back, and the time to wake afterwards.
  private var held: (answer: [UInt8], wake: Duration?)?
  /// The time of the last answer, and the number of bytes received since.
  private var answeredAt = Duration.zero
  private var receivedCount = 0
  /// The time for which an answer is held back. It grows after each answer that
  /// was lost nevertheless.
  private var pause = firstPause
  private static let firstPause = Duration.milliseconds(1)
  private static let longestPause = Duration.milliseconds(100)
  /// The time of the last valid block.
  private var silenceBegan = Duration.zero

  /// The time between requests for the start.
  static let requestInterval = Duration.seconds(3)
  /// The number of requests for a CRC-16 before the first one for a checksum.
  static let crcRequests = 4
  /// The time to wait for the next block before it is requested again.
  static let blockTime = Duration.seconds(5)
  /// The time to wait for the next file, or for the end of the batch.
  static let nextFileTime = Duration.seconds(10)
  /// The maximum time between two bytes of a block.
  static let byteTime = Duration.seconds(1)
  /// The silence to wait for after a damaged block, and the maximum time until it.
  static let silence = Duration.milliseconds(200)
  static let longestNoise = Duration.seconds(10)
  /// The maximum number of bytes that are kept while the storage has not accepted the file.
  static let mostEarly = 1 << 20
  /// The silence after which EOT is valid.
  static let endSilence = Duration.milliseconds(100)
  /// The maximum number of requests for a block.
  static let mostErrors = 16

  /// Creates the receiver.
  init(_ kind: BlockProtocol, conditions: TransferConditions = TransferConditions()) {
    expectsHeaders = kind.sendsHeaders
    isStreaming = kind == .ymodemG
    phase = expectsHeaders ? .header(isFirst: true) : .start
    self.conditions = conditions
  }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    if case .closing(var phase) = state {
      let actions = phase.handle(event, at: now)
      state = .closing(phase)
      return actions
    }
    var actions = event == .begun ? [] : release()
    if event == .woken, !actions.isEmpty { return actions }
    if case .received(let bytes) = event { receivedCount += bytes.count }
    actions += dispatch(event, at: now)
    return hold(actions, at: now)
  }

  private mutating func dispatch(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    switch event {
    case .begun:
      silenceBegan = now
      return expectsHeaders ? request(at: now) : [.offer(TransferredFile(name: []))]
    case .accepted: return begin(isSkipping: false, at: now)
    case .declined: return expectsHeaders ? begin(isSkipping: true, at: now) : finish(.done)
    case .received(let bytes): return handle(bytes, at: now)
    case .woken: return timeIsUp(at: now)
    case .stopped: return fail(.stopped, at: now)
    case .storageFailed: return fail(.storage, at: now)
    case .lost: return finish(.failed(.cutOff))
    case .sent, .room, .file, .read, .checksum, .regained: return []
    }
  }

  // MARK: Delayed answers

  /// Holds an answer back if the answered bytes arrived sooner than a real line carries them. Some
  /// senders discard bytes that have arrived by the time that they have sent a block (lrzsz).
  private mutating func hold(_ actions: [TransferAction], at now: Duration) -> [TransferAction] {
    switch state {
    case .closing, .ended: return actions
    default: break
    }
    var answer: [UInt8] = []
    var time: Duration?
    for case .send(let bytes) in actions { answer += bytes }
    guard !answer.isEmpty else { return actions }
    let lineTime =
      conditions.bytesPerSecond.map { .seconds(1) * receivedCount / max($0, 1) } ?? Duration.zero
    // An answer that was lost is also a sign of such a sender.
    let isTooSoon =
      receivedCount >= Block.short
      && (now - answeredAt < lineTime * 9 / 10 || pause > Self.firstPause)
    (answeredAt, receivedCount) = (now, 0)
    guard isTooSoon, !isStreaming else { return actions }
    for case .wake(let wake) in actions { time = wake }
    let rest = actions.filter { action in
      switch action {
      case .send, .wake: false
      default: true
      }
    }
    if case .finish? = rest.last { return actions }
    held = (answer, time)
    return rest + [.wake(at: now + pause)]
  }

  /// Sends the answer that was held back.
  private mutating func release() -> [TransferAction] {
    guard let held else { return [] }
    self.held = nil
    return [.send(held.answer), .wake(at: held.wake)]
  }

  // MARK: Requests

  /// Requests the first block of a file, or the header.
  private mutating func request(at now: Duration) -> [TransferAction] {
    state = .awaitingBlock
    inbox = []
    if !isStreaming, !hasBegun {
      requests += 1
      check = requests > Self.crcRequests && requests.isMultiple(of: 2) ? .sum : .crc
    }
    let character =
      isStreaming ? BlockCharacter.g : check == .sum ? BlockCharacter.nak : BlockCharacter.c
    return [.send([character]), .wake(at: now + Self.requestInterval)]
  }

  /// Begins to receive a file that the storage has accepted or declined.
  private mutating func begin(isSkipping: Bool, at now: Duration) -> [TransferAction] {
    guard case .offering = state else { return [] }
    self.isSkipping = isSkipping
    (phase, number, padding, silenceBegan) = (.start, 1, 0, now)
    progress.position = 0
    guard inbox.isEmpty else {
      // The sender did not wait for an answer.
      state = .awaitingBlock
      return scan(at: now)
    }
    return (expectsHeaders ? [.send([BlockCharacter.ack])] : []) + request(at: now)
  }

  private mutating func askAgain(at now: Duration) -> [TransferAction] {
    // Bytes before the first block are not an error.
    guard hasBegun else { return request(at: now) }
    if isStreaming { return fail(.outOfStep, at: now) }
    errors += 1
    progress.retries += 1
    guard errors <= Self.mostErrors else { return fail(.tooManyErrors, at: now) }
    guard case .blocks = phase else { return [.progress(progress)] + request(at: now) }
    state = .awaitingBlock
    inbox = []
    return [
      .progress(progress), .send([BlockCharacter.nak]), .wake(at: now + Self.blockTime),
    ]
  }

  // MARK: Bytes from the sender

  private mutating func handle(_ bytes: [UInt8], at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingBlock:
      inbox += bytes
      return scan(at: now)
    case .ending where isStreaming:
      inbox += bytes
      return scanAfterFile(at: now)
    case .ending: return purge(bytes, until: now + Self.longestNoise, at: now)
    case .purging(let limit): return purge(bytes, until: limit, at: now)
    case .awaitingSilence(_, let limit): return [.wake(at: min(now + Self.silence, limit))]
    case .offering where isStreaming:
      inbox += bytes
      return inbox.count <= Self.mostEarly ? [] : fail(.outOfStep, at: now)
    // These bytes were sent before the request for them, so they are old.
    case .offering, .closing, .ended: return []
    }
  }

  /// Decodes the blocks in the inbox.
  private mutating func scan(at now: Duration) -> [TransferAction] {
    let begin = progress.position
    var kept: [UInt8] = []
    var acknowledgements: [UInt8] = []
    var text: [UInt8] = []
    var start = 0
    defer { inbox.removeFirst(min(start, inbox.count)) }
    func collected() -> [TransferAction] {
      var actions: [TransferAction] = text.isEmpty ? [] : [.pass(text)]
      if !kept.isEmpty { actions.append(.write(kept)) }
      if progress.position > begin {
        actions += [.progress(progress), .wake(at: now + Self.blockTime)]
      }
      return acknowledgements.isEmpty ? actions : actions + [.send(acknowledgements)]
    }
    while start < inbox.count {
      let first = inbox[start]
      let rest = inbox[start...]
      if isBlock(rest), let size = Block.byteCount(beginningWith: first, check: check) {
        guard rest.count >= size else { break }
        guard let block = Block.decoded(rest.prefix(size), check: check) else {
          // The sender would take a repeated request for the one that follows a header.
          if isStreaming { return collected() + fail(.outOfStep, at: now) }
          return collected() + purge([], until: now + Self.longestNoise, at: now)
        }
        start += size
        hasBegun = true
        guard case .blocks = dataPhase, block.number == number else {
          let after = Array(inbox[start...])
          let answer = handleOther(block.number, block.contents, at: now)
          if isStreaming, case .offering = state { return collected() + answer }
          start = inbox.count
          guard case .ended = state, !after.isEmpty else { return collected() + answer }
          // The bytes after the end belong to the user.
          return collected() + answer.dropLast() + [.pass(after)] + answer.suffix(1)
        }
        guard let count = accept(block.contents, at: now) else {
          return collected() + fail(.tooLarge, at: now)
        }
        kept += block.contents.prefix(count)
        if !isStreaming { acknowledgements.append(BlockCharacter.ack) }
      } else if first == BlockCharacter.eot, rest.count == 1 || isStreaming,
        hasBegun || !expectsHeaders
      {
        let actions = collected() + [.wake(at: now + Self.endSilence)]
        inbox.removeFirst(start + 1)
        start = 0
        state = .ending
        return inbox.isEmpty ? actions : actions + scanAfterFile(at: now)
      } else if first == BlockCharacter.can, rest.count == 1 {
        break
      } else if first == BlockCharacter.can, rest.dropFirst().first == BlockCharacter.can {
        start = inbox.count
        return collected() + close(.cancelled, tellsSender: false, at: now)
      } else if !hasBegun {
        text.append(first)
        start += 1
      } else {
        return collected() + purge([], until: now + Self.longestNoise, at: now)
      }
    }
    return collected() + (start < inbox.count ? [.wake(at: now + Self.byteTime)] : [])
  }

  /// Decodes the header of the next file, which the sender has sent without waiting for the answer
  /// to EOT.
  private mutating func scanAfterFile(at now: Duration) -> [TransferAction] {
    guard isBlock(inbox[...]), let size = Block.byteCount(beginningWith: inbox[0], check: check),
      inbox.count < size || Block.decoded(inbox.prefix(size), check: check)?.number == 0
    else { return purge([], until: now + Self.longestNoise, at: now) }
    guard inbox.count >= size else { return [.wake(at: now + Self.byteTime)] }
    // It has taken an earlier answer.
    let actions = endFile(isAnswered: false, at: now)
    guard case .awaitingBlock = state else { return actions }
    return actions + scan(at: now)
  }

  /// Whether bytes may be a block. Before the first block, text may contain the character
  /// that begins one.
  private func isBlock(_ bytes: ArraySlice<UInt8>) -> Bool {
    hasBegun || bytes.count < 3 || bytes[bytes.startIndex + 1] == ~bytes[bytes.startIndex + 2]
  }

  /// The present phase as that of data: waiting for the first block is part of it.
  private var dataPhase: Phase {
    if case .start = phase { return .blocks }
    return phase
  }

  /// Handles the contents of the next block.
  ///
  /// - Returns: the number of bytes that belong to the file and are kept; nil if the file
  ///   is too large.
  private mutating func accept(_ contents: ArraySlice<UInt8>, at now: Duration) -> Int? {
    // After the announced size, only padding can follow.
    if let size, progress.position >= size,
      contents.contains(where: { $0 != BlockCharacter.sub && $0 != 0 })
    {
      return nil
    }
    (phase, errors, silenceBegan) = (.blocks, 0, now)
    number &+= 1
    padding = contents.reversed().prefix { $0 == BlockCharacter.sub }.count
    // The remainder of the last block is padding.
    let count = min(contents.count, size.map { $0 - progress.position } ?? .max)
    progress.position += count
    guard progress.position <= conditions.largestFile ?? .max else { return nil }
    return isSkipping ? 0 : count
  }

  /// Handles a valid block that is not the next one of the file.
  private mutating func handleOther(
    _ number: UInt8, _ contents: ArraySlice<UInt8>, at now: Duration
  ) -> [TransferAction] {
    switch phase {
    case .header where number == 0:
      guard let file = FileHeader.decoded(contents) else {
        return [.send([BlockCharacter.ack])] + finish(.done)
      }
      if FileHeader.hasMalformedSize(contents) { return fail(.malformedSize, at: now) }
      if let limit = conditions.largestFile, file.size ?? 0 > limit {
        return [.say(.tooLarge(file))] + fail(.tooLarge, at: now)
      }
      (state, size, errors) = (.offering, file.size, 0)
      return [.wake(at: nil), .offer(file)]
    // The acknowledgement of the header was lost.
    case .start where expectsHeaders && number == 0:
      if now - silenceBegan >= conditions.silencePatience { return fail(.timedOut, at: now) }
      pause = min(pause * 4, Self.longestPause)
      return [.send([BlockCharacter.ack])] + request(at: now)
    case .blocks where number == self.number &- 1 && !isStreaming:
      if now - silenceBegan >= conditions.silencePatience { return fail(.timedOut, at: now) }
      pause = min(pause * 4, Self.longestPause)
      return [.send([BlockCharacter.ack]), .wake(at: now + Self.blockTime)]
    case .header, .start, .blocks: return fail(.outOfStep, at: now)
    }
  }

  private mutating func purge(
    _ bytes: [UInt8], until limit: Duration, at now: Duration
  ) -> [TransferAction] {
    inbox = []
    if zip(bytes, bytes.dropFirst()).contains(where: {
      $0 == BlockCharacter.can && $1 == BlockCharacter.can
    }) {
      return close(.cancelled, tellsSender: false, at: now)
    }
    guard now < limit else { return fail(.tooManyErrors, at: now) }
    state = .purging(until: limit)
    return [.wake(at: now + Self.silence)]
  }

  private mutating func endFile(
    isAnswered: Bool = true, at now: Duration
  ) -> [TransferAction] {
    let ack = TransferAction.send([BlockCharacter.ack])
    func answer() -> [TransferAction] {
      if isAnswered { return [ack] + request(at: now) }
      state = .awaitingBlock
      return []
    }
    // The acknowledgement of the EOT was lost.
    if case .header = phase { return answer() }
    if let size, progress.position < size { return fail(.tooShort, at: now) }
    let end = TransferAction.endFile(isSkipping ? .skipped : .complete)
    guard expectsHeaders else {
      let remark: [TransferAction] = padding > 0 ? [.say(.padding(padding))] : []
      return remark + [end, ack] + finish(.done)
    }
    (phase, errors, silenceBegan) = (.header(isFirst: false), 0, now)
    return [end] + answer()
  }

  // MARK: Time

  private mutating func timeIsUp(at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingBlock: return blockIsMissing(at: now)
    case .purging: return askAgain(at: now)
    case .ending where inbox.isEmpty: return endFile(at: now)
    case .ending: return fail(.outOfStep, at: now)
    case .awaitingSilence(let failure, _): return close(failure, at: now)
    case .offering, .closing, .ended: return []
    }
  }

  private mutating func blockIsMissing(at now: Duration) -> [TransferAction] {
    let silence = now - silenceBegan
    if !hasBegun {
      guard silence < conditions.startPatience else {
        return close(.noAnswer, tellsSender: false, at: now)
      }
      return request(at: now)
    }
    if case .header(isFirst: false) = phase, silence >= Self.nextFileTime { return finish(.done) }
    if silence >= conditions.silencePatience { return fail(.timedOut, at: now) }
    switch phase {
    case .header, .start: return request(at: now)
    case .blocks: return askAgain(at: now)
    }
  }

  // MARK: The end

  private mutating func fail(_ failure: TransferFailure, at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingSilence, .ended: return []
    default: break
    }
    // A sender that does not wait for answers listens all the time.
    guard hasBegun, !isStreaming else { return close(failure, at: now) }
    state = .awaitingSilence(failure, until: now + .seconds(1))
    return [.wake(at: now + Self.silence)]
  }

  private mutating func close(
    _ failure: TransferFailure, tellsSender: Bool = true, at now: Duration
  ) -> [TransferAction] {
    let phase = ClosingPhase(failure, at: now)
    state = .closing(phase)
    return (tellsSender ? [.send(cancelSequence)] : []) + phase.begin(at: now)
  }

  private mutating func finish(_ end: TransferEnd) -> [TransferAction] {
    state = .ended
    return [.finish(end)]
  }
}
