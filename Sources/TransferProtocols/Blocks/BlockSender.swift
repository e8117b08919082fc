/// Sends files by XMODEM, YMODEM or YMODEM-g.
///
/// The receiver decides how blocks are checked, by the character that it asks with: NAK for a checksum, C for a
/// CRC-16, G for a CRC-16 without acknowledgements. Specification: C. Forsberg, "XMODEM/YMODEM Protocol
/// Reference", 1988.
///
/// ## Habits of receivers
///
/// - A receiver that counts in CRC mode may answer a damaged block with C instead of NAK (U-Boot).
/// - One that is silent writes its flash memory, or has lost the block. It is asked again only after
///   ``resendingTime``: a block that comes twice is acknowledged twice, which a sender can take for the answer
///   to the next block.
/// - One that cancels sends at least two CANs; a single one is noise.
public struct BlockSender: TransferMachine {
  private let sendsHeaders: Bool
  private let usesLongBlocks: Bool
  private let conditions: TransferConditions

  private enum State {
    /// The next file is asked for. The receiver may already have asked for it, with this character.
    case awaitingFile(request: UInt8?)
    /// The receiver has to ask for something.
    case awaitingRequest(Wanted)
    /// The next block is read. The receiver has nothing to answer.
    case reading
    /// A block was sent, and is answered.
    case awaitingAnswer(Part)
    /// An answer came to a block that was sent twice: another one may follow. Then the transfer goes on.
    case settling(Part, request: UInt8?)
    /// An answer came sooner than a real line carries a block. Some receivers discard what has come by the time that
    /// they have answered (lrzsz), so the next block waits.
    case pausing
    /// Blocks are sent without answers.
    case streaming
    /// The transfer has failed. The receiver would take CANs within the present block for data.
    case finishingBlock(TransferFailure)
    case closing(ClosingPhase)
    case ended
  }
  /// What the receiver asks for.
  private enum Wanted {
    case header, data, end
  }
  /// What is answered.
  private enum Part {
    case header, data, endOfFile, endOfBatch
  }

  private var state = State.awaitingFile(request: nil)
  private var check = Block.Check.crc
  private var isStreaming = false
  private var file: TransferredFile?
  private var number: UInt8 = 1
  /// The offset of the present block in the file, and the number of bytes of the file in it.
  private var offset = 0
  private var length = 0
  /// The present block, or end, as it was sent.
  private var block: [UInt8] = []
  private var progress = TransferProgress()
  /// How often the present block was sent again.
  private var repeats = 0
  /// Whether the present block has waited.
  private var hasPaused = false
  /// Whether the present block may be answered twice.
  private var mayBeAnsweredTwice = false
  /// The number of bytes that were queued and not taken by the driver.
  private var unsentCount = 0
  private var isAwaitingRoom = false
  /// The end of the present wait for the receiver; nil while the driver has not taken what was sent.
  private var deadline: Duration?
  /// The time of the last event.
  private var now = Duration.zero
  /// When the present block was queued.
  private var queuedAt = Duration.zero
  /// Since when the receiver does not answer the present block.
  private var silenceBegan: Duration?
  /// Whether the last byte was the first of two CANs.
  private var hasSeenCancel = false
  /// Whether the receiver has asked for something.
  private var hasBegun = false
  /// The last byte, if it may ask for the start, and no text follows.
  private var candidate: UInt8?
  private var lastByte: UInt8 = 0x0A

  /// How long the receiver is silent before the present block is sent again.
  static let resendingTime = Duration.seconds(20)
  /// How long the answer to the end of a file is waited for before the end is sent again, and how long the next
  /// request is.
  static let endTime = Duration.seconds(10)
  /// How often a block is sent again, at most.
  static let mostRepeats = 16
  /// A character asks for the start when nothing follows it for this time: it may be text.
  static let requestSilence = Duration.milliseconds(100)
  /// How long the next block waits after an answer that came too soon: longer after each block that got lost
  /// nonetheless.
  private var pause = Duration.milliseconds(1)
  static let longestPause = Duration.milliseconds(100)
  /// How long a second answer is waited for.
  static let settlingTime = Duration.milliseconds(300)

  /// Creates the sender; nothing is sent before the receiver asks.
  public init(_ kind: TransferProtocol, conditions: TransferConditions = TransferConditions()) {
    sendsHeaders = kind == .ymodem || kind == .ymodemG
    usesLongBlocks = kind != .xmodem
    self.conditions = conditions
  }

  public mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    if case .closing(var phase) = state {
      let actions = phase.handle(event, at: now)
      state = .closing(phase)
      return actions
    }
    self.now = now
    switch event {
    case .begun: return [.nextFile]
    case .file(let file): return begin(file, at: now)
    case .read(let bytes): return send(contents: bytes, at: now)
    case .received(let bytes): return take(bytes, at: now)
    case .sent(let count): return didSend(count, at: now)
    case .room:
      isAwaitingRoom = false
      guard case .streaming = state else { return [] }
      return readNext()
    case .woken: return timeIsUp(at: now)
    case .stopped: return fail(.stopped, at: now)
    case .storageFailed: return fail(.storage, at: now)
    case .lost: return finish(.failed(.cutOff))
    case .accepted, .declined, .checksum, .regained: return []
    }
  }

  // MARK: Files

  private mutating func begin(_ file: TransferredFile?, at now: Duration) -> [TransferAction] {
    guard case .awaitingFile(let request) = state else { return [] }
    let isFirst = self.file == nil
    // XMODEM sends one file.
    guard file != nil || !isFirst, isFirst || sendsHeaders else { return finish(.done) }
    if let file { self.file = file }
    (offset, length, number) = (0, 0, 1)
    progress.position = 0
    let wanted: Wanted = !sendsHeaders ? .data : file == nil ? .end : .header
    if let request { return answer(request, for: wanted, at: now) }
    let waiting = awaitRequest(
      for: wanted, atMost: isFirst ? conditions.startPatience : Self.endTime, at: now)
    return candidate == nil ? waiting : [.wake(at: now + Self.requestSilence)]
  }

  private mutating func awaitRequest(
    for wanted: Wanted, atMost patience: Duration, at now: Duration
  ) -> [TransferAction] {
    state = .awaitingRequest(wanted)
    deadline = now + patience
    return [.wake(at: deadline)]
  }

  /// The receiver has asked.
  private mutating func answer(
    _ request: UInt8, for wanted: Wanted, at now: Duration
  ) -> [TransferAction] {
    hasBegun = true
    check = request == BlockCharacter.nak ? .sum : .crc
    isStreaming = request == BlockCharacter.g
    mayBeAnsweredTwice = false
    switch wanted {
    case .header:
      let header = file.map(Self.header) ?? []
      return send(Block.encoded(header, number: 0, check: check, padding: 0), as: .header)
    case .end: return send(Block.encoded([0], number: 0, check: check, padding: 0), as: .endOfBatch)
    case .data:
      state = isStreaming ? .streaming : .reading
      deadline = nil
      return [.wake(at: isStreaming ? sendingLimit : nil)] + readNext()
    }
  }

  /// The contents of block 0. A name that is too long loses its end.
  private static func header(of file: TransferredFile) -> [UInt8] {
    var file = file
    let excess = FileHeader.encoded(file).count - Block.long
    if excess > 0 { file.name.removeLast(min(excess, file.name.count - 1)) }
    return FileHeader.encoded(file)
  }

  // MARK: Sending

  private var remaining: Int? { file?.size.map { max($0 - offset, 0) } }

  private mutating func readNext() -> [TransferAction] {
    guard !isAwaitingRoom else { return [] }
    // Short blocks at the end have less padding.
    let isLong = usesLongBlocks && remaining.map { $0 > Block.long - Block.short } ?? true
    var count = isLong ? Block.long : Block.short
    // Of a file that has grown, as much is sent as was announced.
    if sendsHeaders, let remaining { count = min(count, remaining) }
    return count == 0 ? sendEnd() : [.read(at: offset, count: count)]
  }

  private mutating func send(contents: [UInt8], at now: Duration) -> [TransferAction] {
    switch state {
    case .reading, .streaming: break
    default: return []
    }
    // Padding would make up for what is missing, and nobody would notice.
    if sendsHeaders, let remaining, contents.count < min(remaining, Block.short) {
      return fail(.tooShort, at: now)
    }
    guard !contents.isEmpty else { return sendEnd() }
    length = contents.count
    let block = Block.encoded(contents, number: number, check: check)
    guard isStreaming else {
      queuedAt = now
      return send(block, as: .data)
    }
    number &+= 1
    offset += length
    unsentCount += block.count
    isAwaitingRoom = true
    return [.send(block), .awaitRoom(below: streamingLevel)]
  }

  /// Not more than a quarter of a second is queued, so that the user can cancel quickly.
  private var streamingLevel: Int {
    min(max((conditions.bytesPerSecond ?? .max) / 4, 2 * Block.long), 32_768)
  }

  private mutating func sendEnd() -> [TransferAction] {
    mayBeAnsweredTwice = false
    return send([BlockCharacter.eot], as: .endOfFile)
  }

  private mutating func send(_ block: [UInt8], as part: Part) -> [TransferAction] {
    state = .awaitingAnswer(part)
    self.block = block
    repeats = 0
    silenceBegan = nil
    return queueBlock()
  }

  private mutating func queueBlock() -> [TransferAction] {
    unsentCount += block.count
    deadline = nil
    return [.wake(at: sendingLimit), .send(block)]
  }

  /// How long the driver may take nothing, because the device holds the line.
  private var sendingLimit: Duration { now + conditions.silencePatience }

  private mutating func sendAgain(at now: Duration) -> [TransferAction] {
    repeats += 1
    progress.retries += 1
    if hasPaused { pause = min(pause * 4, Self.longestPause) }
    guard repeats <= Self.mostRepeats else { return fail(.tooManyErrors, at: now) }
    return [.progress(progress)] + queueBlock()
  }

  private mutating func didSend(_ count: Int, at now: Duration) -> [TransferAction] {
    unsentCount = max(unsentCount - count, 0)
    var actions: [TransferAction] = []
    if isStreaming, offset > 0 {
      progress.position = max(offset - unsentCount, progress.position)
      actions = [.progress(progress)]
      if case .streaming = state { actions.append(.wake(at: sendingLimit)) }
    }
    guard unsentCount == 0, deadline == nil else { return actions }
    switch state {
    case .awaitingAnswer(let part):
      if silenceBegan == nil { silenceBegan = now }
      deadline = now + lineTime + Self.patience(with: part)
    case .finishingBlock: deadline = now + lineTime + (isStreaming ? .zero : .seconds(1))
    default: return actions
    }
    return actions + [.wake(at: deadline)]
  }

  private static func patience(with part: Part) -> Duration {
    switch part {
    case .header, .data: resendingTime
    case .endOfFile: endTime
    // All files were acknowledged by then.
    case .endOfBatch: .seconds(3)
    }
  }

  /// How long the line needs for the block that the driver has taken.
  private var lineTime: Duration {
    conditions.bytesPerSecond.map { .seconds(1) * block.count / max($0, 1) } ?? .zero
  }

  // MARK: What the receiver sends

  private mutating func take(_ bytes: [UInt8], at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingFile, .awaitingRequest:
      if !hasBegun { return takeBeginning(bytes, at: now) }
    default: break
    }
    var actions: [TransferAction] = []
    for (index, byte) in bytes.enumerated() {
      if case .ended = state { return Self.passing(bytes[index...], in: actions) }
      if isCancel(byte) { return actions + close(.cancelled, tellsReceiver: false, at: now) }
      actions += take(byte, at: now)
    }
    return actions
  }

  /// The bytes after the end belong to the user.
  private static func passing(
    _ rest: ArraySlice<UInt8>, in actions: [TransferAction]
  ) -> [TransferAction] {
    actions.dropLast() + [.pass(Array(rest))] + actions.suffix(1)
  }

  /// Whether this is the second CAN in a row: a single one is noise.
  private mutating func isCancel(_ byte: UInt8) -> Bool {
    defer { hasSeenCancel = byte == BlockCharacter.can }
    return hasSeenCancel && byte == BlockCharacter.can
  }

  /// Text may precede the first request. The user sees it, and a letter in it is no request.
  private mutating func takeBeginning(_ bytes: [UInt8], at now: Duration) -> [TransferAction] {
    var text: [UInt8] = []
    for byte in bytes {
      if isCancel(byte) { return close(.cancelled, tellsReceiver: false, at: now) }
      if let candidate { text.append(candidate) }
      candidate = nil
      if Self.isRequest(byte), !lastByte.isAlphanumeric || Self.isRequest(lastByte) {
        candidate = byte
      } else if byte != BlockCharacter.can {
        text.append(byte)
      }
      lastByte = byte
    }
    // Requests that were repeated are no text.
    text.removeAll { $0 == BlockCharacter.nak }
    if text.allSatisfy(Self.isRequest) { text = [] }
    let silence: [TransferAction] = [
      .wake(at: candidate == nil ? deadline : now + Self.requestSilence)
    ]
    return (text.isEmpty ? [] : [.pass(text)]) + silence
  }

  private static func isRequest(_ byte: UInt8) -> Bool {
    byte == BlockCharacter.nak || byte == BlockCharacter.c || byte == BlockCharacter.g
  }

  private mutating func take(_ byte: UInt8, at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingFile where Self.isRequest(byte): state = .awaitingFile(request: byte)
    case .awaitingRequest(let wanted) where Self.isRequest(byte):
      return answer(byte, for: wanted, at: now)
    case .settling(let part, _) where Self.isRequest(byte): state = .settling(part, request: byte)
    // What comes before the end of the block cannot be its answer.
    case .awaitingAnswer(let part) where unsentCount == 0:
      return takeAnswer(byte, to: part, at: now)
    case .finishingBlock(let failure) where unsentCount == 0 && !isStreaming:
      return close(failure, at: now)
    default: break
    }
    return []
  }

  private mutating func takeAnswer(
    _ byte: UInt8, to part: Part, at now: Duration
  ) -> [TransferAction] {
    switch (byte, part) {
    case (BlockCharacter.ack, _):
      guard mayBeAnsweredTwice else { return goOn(after: part, request: nil, at: now) }
      state = .settling(part, request: nil)
      deadline = now + lineTime + Self.settlingTime
      return [.wake(at: deadline)]
    // Without acknowledgements, the header is answered by the request for the data.
    case (BlockCharacter.g, .header): return goOn(after: part, request: byte, at: now)
    // The acknowledgement was lost: the receiver asks for the next file.
    case (BlockCharacter.c, .endOfFile) where sendsHeaders && repeats > 0,
      (BlockCharacter.g, .endOfFile) where sendsHeaders:
      return goOn(after: part, request: byte, at: now)
    case (BlockCharacter.nak, _), (BlockCharacter.c, _):
      // A request may be older than the block: then the block comes twice.
      if byte == BlockCharacter.c || offset == 0 { mayBeAnsweredTwice = part != .endOfFile }
      silenceBegan = nil
      return sendAgain(at: now)
    default: return []
    }
  }

  /// The receiver has acknowledged a part.
  private mutating func goOn(
    after part: Part, request: UInt8?, at now: Duration
  ) -> [TransferAction] {
    mayBeAnsweredTwice = false
    switch part {
    case .header:
      if let request { return answer(request, for: .data, at: now) }
      return awaitRequest(for: .data, atMost: conditions.silencePatience, at: now)
    case .data:
      offset += length
      number &+= 1
      progress.position = offset
      if now - queuedAt < lineTime * 9 / 10 {
        state = .pausing
        deadline = now + pause
        hasPaused = true
        return [.progress(progress), .wake(at: deadline)]
      }
      state = .reading
      hasPaused = false
      return [.progress(progress)] + readNext()
    case .endOfFile:
      state = .awaitingFile(request: request)
      progress.position = offset
      deadline = nil
      let actions: [TransferAction] = [.wake(at: nil), .progress(progress), .endFile(.complete)]
      return actions + (sendsHeaders ? [.nextFile] : finish(.done))
    case .endOfBatch: return finish(.done)
    }
  }

  // MARK: Time

  private mutating func timeIsUp(at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingRequest(let wanted):
      if let candidate {
        self.candidate = nil
        return answer(candidate, for: wanted, at: now)
      }
      if wanted == .end { return finish(.done) }
      // Nobody is there to be told.
      return close(hasBegun ? .timedOut : .noAnswer, tellsReceiver: hasBegun, at: now)
    // The driver takes nothing.
    case .awaitingAnswer where unsentCount > 0, .streaming: return close(.timedOut, at: now)
    case .awaitingAnswer(.endOfBatch): return finish(.done)
    case .awaitingAnswer(.endOfFile):
      // The receiver has probably gone: another EOT would end the shell that is there now.
      guard repeats == 0 else {
        return close(.endNotAcknowledged, tellsReceiver: false, at: now)
      }
      return sendAgain(at: now)
    case .awaitingAnswer:
      if now - (silenceBegan ?? now) >= conditions.silencePatience {
        return close(.timedOut, at: now)
      }
      mayBeAnsweredTwice = true
      return sendAgain(at: now)
    case .settling(let part, let request): return goOn(after: part, request: request, at: now)
    case .finishingBlock(let failure): return close(failure, at: now)
    case .pausing:
      state = .reading
      return readNext()
    case .awaitingFile, .reading, .closing, .ended: return []
    }
  }

  // MARK: The end

  private mutating func fail(_ failure: TransferFailure, at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingAnswer, .streaming:
      state = .finishingBlock(failure)
      deadline = nil
      // A device that holds the line is not waited for.
      return [.wake(at: now + .seconds(1) + lineTime)] + didSend(0, at: now)
    case .finishingBlock, .ended: return []
    default: return close(failure, at: now)
    }
  }

  private mutating func close(
    _ failure: TransferFailure, tellsReceiver: Bool = true, at now: Duration
  ) -> [TransferAction] {
    let phase = ClosingPhase(failure, at: now)
    state = .closing(phase)
    return [.withdraw] + (tellsReceiver ? [.send(cancelSequence)] : []) + phase.begin(at: now)
  }

  private mutating func finish(_ end: TransferEnd) -> [TransferAction] {
    state = .ended
    return [.finish(end)]
  }
}

extension UInt8 {
  /// Whether it is a letter or a digit of ASCII.
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
