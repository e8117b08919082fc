/// Sends files by XMODEM, YMODEM or YMODEM-g.
///
/// The receiver selects the check of blocks by the character of its request: NAK for a checksum, C
/// for a CRC-16, G for a CRC-16 without acknowledgements. Specification: C. Forsberg,
/// "XMODEM/YMODEM Protocol Reference", 1988.
///
/// ## Behaviour of receivers
///
/// - A receiver in CRC mode may answer a damaged block with C instead of NAK (U-Boot).
/// - A silent receiver is writing its flash memory, or the block was lost. The block is sent again
///   only after ``resendingTime``: a block that arrives twice is acknowledged twice, and the second
///   acknowledgement may be taken for that of the next block.
/// - A receiver that cancels sends at least two CANs. A single one is noise.
struct BlockSender: TransferMachine {
  private let sendsHeaders: Bool
  private let usesLongBlocks: Bool
  private let conditions: TransferConditions

  private enum State {
    /// Waits for the next file from the storage. The receiver may already have requested it,
    /// with this character.
    case awaitingFile(request: UInt8?)
    /// Waits for a request of the receiver.
    case awaitingRequest(Wanted)
    /// Waits for the contents of the next block. No answer of the receiver is due.
    case reading
    /// Waits for the answer to a block.
    case awaitingAnswer(Part)
    /// An answer to a block that was sent twice has arrived. Another answer may follow before
    /// the transfer continues.
    case settling(Part, request: UInt8?)
    /// An answer arrived sooner than a real line carries a block. Some receivers discard bytes that
    /// have arrived by the time that they have answered (lrzsz), so the next block is delayed.
    case pausing
    /// Sends blocks that are not acknowledged.
    case streaming
    /// The transfer has failed. The receiver would treat CANs inside of the present block as data.
    case finishingBlock(TransferFailure)
    case closing(ClosingPhase)
    case ended
  }
  /// The expected request of the receiver.
  private enum Wanted {
    case header, data, end
  }
  /// The part of the transfer that the receiver has to answer.
  private enum Part {
    case header, data, endOfFile, endOfBatch
  }

  private var state = State.awaitingFile(request: nil)
  private var check = Block.Check.crc
  private var isStreaming = false
  private var file: TransferredFile?
  private var number: UInt8 = 1
  /// The offset of the present block in the file, and the number of the file's bytes in the block.
  private var offset = 0
  private var length = 0
  /// The encoded present block, or the end of the file.
  private var block: [UInt8] = []
  private var progress = TransferProgress()
  /// The number of times that the present block was sent again.
  private var repeats = 0
  /// Whether the present block was delayed.
  private var hasPaused = false
  /// Whether the present block may be answered twice.
  private var mayBeAnsweredTwice = false
  /// The number of queued bytes that the driver has not taken.
  private var unsentCount = 0
  private var isAwaitingRoom = false
  /// The end of the present wait for the receiver; nil until the driver has taken the sent bytes.
  private var deadline: Duration?
  /// The time of the last event.
  private var now = Duration.zero
  /// The time when the present block was queued.
  private var queuedAt = Duration.zero
  /// The time since which the receiver has not answered the present block.
  private var silenceBegan: Duration?
  /// Whether the last byte was the first of two CANs.
  private var hasSeenCancel = false
  /// Whether the receiver has sent any request.
  private var hasBegun = false
  /// The last byte, if it may be a request, and no text follows.
  private var candidate: UInt8?
  private var lastByte: UInt8 = UInt8(ascii: "\n")

  /// The silence of the receiver after which the present block is sent again.
  static let resendingTime = Duration.seconds(20)
  /// The time to wait for the answer to the end of a file before the end is sent again, and for the
  /// request after it.
  static let endTime = Duration.seconds(10)
  /// The maximum number of times that a block is sent again.
  static let mostRepeats = 16
  /// The silence after which a character counts as a request. Otherwise it may be text.
  static let requestSilence = Duration.milliseconds(100)
  /// The delay of the next block after an answer that came too soon. It grows after each block that
  /// was lost nevertheless.
  private var pause = Duration.milliseconds(1)
  static let longestPause = Duration.milliseconds(100)
  /// The time to wait for a second answer.
  static let settlingTime = Duration.milliseconds(300)

  /// Creates the sender. It sends nothing before the first request.
  init(_ kind: BlockProtocol, conditions: TransferConditions = TransferConditions()) {
    sendsHeaders = kind.sendsHeaders
    usesLongBlocks = kind != .xmodem
    self.conditions = conditions
  }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
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
    case .received(let bytes): return handle(bytes, at: now)
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
    // XMODEM sends a single file.
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

  /// Answers a request of the receiver.
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

  /// The contents of block 0. A name that is too long is truncated.
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
    // Short blocks at the end need less padding.
    let isLong = usesLongBlocks && remaining.map { $0 > Block.long - Block.short } ?? true
    var count = isLong ? Block.long : Block.short
    // If the file has grown, only the announced bytes are sent.
    if sendsHeaders, let remaining { count = min(count, remaining) }
    return count == 0 ? sendEnd() : [.read(at: offset, count: count)]
  }

  private mutating func send(contents: [UInt8], at now: Duration) -> [TransferAction] {
    switch state {
    case .reading, .streaming: break
    default: return []
    }
    // Padding would replace the missing bytes without anybody noticing.
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

  /// The maximum number of queued bytes: a quarter of a second's, so that the user
  /// can cancel quickly.
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

  /// The time until which the driver may take nothing because the device holds the line.
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
    // All files have been acknowledged by now.
    case .endOfBatch: .seconds(3)
    }
  }

  /// The time that the line needs for the block that the driver has taken.
  private var lineTime: Duration {
    conditions.bytesPerSecond.map { .seconds(1) * block.count / max($0, 1) } ?? .zero
  }

  // MARK: Bytes from the receiver

  private mutating func handle(_ bytes: [UInt8], at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingFile, .awaitingRequest:
      if !hasBegun { return handleBeginning(bytes, at: now) }
    default: break
    }
    var actions: [TransferAction] = []
    for (index, byte) in bytes.enumerated() {
      if case .ended = state { return Self.passing(bytes[index...], in: actions) }
      if isCancel(byte) { return actions + close(.cancelled, tellsReceiver: false, at: now) }
      actions += handle(byte, at: now)
    }
    return actions
  }

  /// Adds an action that passes on the bytes after the end, which belong to the user.
  private static func passing(
    _ rest: ArraySlice<UInt8>, in actions: [TransferAction]
  ) -> [TransferAction] {
    actions.dropLast() + [.pass(Array(rest))] + actions.suffix(1)
  }

  /// Whether this is the second CAN in a row. A single CAN is noise.
  private mutating func isCancel(_ byte: UInt8) -> Bool {
    defer { hasSeenCancel = byte == BlockCharacter.can }
    return hasSeenCancel && byte == BlockCharacter.can
  }

  /// Handles bytes before the first request. They may be text, which the user sees, and whose
  /// letters are not requests.
  private mutating func handleBeginning(_ bytes: [UInt8], at now: Duration) -> [TransferAction] {
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
    // Repeated requests are not text.
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

  private mutating func handle(_ byte: UInt8, at now: Duration) -> [TransferAction] {
    switch state {
    case .awaitingFile where Self.isRequest(byte): state = .awaitingFile(request: byte)
    case .awaitingRequest(let wanted) where Self.isRequest(byte):
      return answer(byte, for: wanted, at: now)
    case .settling(let part, _) where Self.isRequest(byte): state = .settling(part, request: byte)
    // Bytes that arrive before the end of the block cannot be its answer.
    case .awaitingAnswer(let part) where unsentCount == 0:
      return handleAnswer(byte, to: part, at: now)
    case .finishingBlock(let failure) where unsentCount == 0 && !isStreaming:
      return close(failure, at: now)
    default: break
    }
    return []
  }

  private mutating func handleAnswer(
    _ byte: UInt8, to part: Part, at now: Duration
  ) -> [TransferAction] {
    switch (byte, part) {
    case (BlockCharacter.ack, _):
      guard mayBeAnsweredTwice else { return continueSending(after: part, request: nil, at: now) }
      state = .settling(part, request: nil)
      deadline = now + lineTime + Self.settlingTime
      return [.wake(at: deadline)]
    // Without acknowledgements, the request for the data is the answer to the header.
    case (BlockCharacter.g, .header): return continueSending(after: part, request: byte, at: now)
    // The acknowledgement was lost, and the receiver requests the next file.
    case (BlockCharacter.c, .endOfFile) where sendsHeaders && repeats > 0,
      (BlockCharacter.g, .endOfFile) where sendsHeaders:
      return continueSending(after: part, request: byte, at: now)
    case (BlockCharacter.nak, _), (BlockCharacter.c, _):
      // The request may be older than the block. Then the block arrives twice.
      if byte == BlockCharacter.c || offset == 0 { mayBeAnsweredTwice = part != .endOfFile }
      silenceBegan = nil
      return sendAgain(at: now)
    default: return []
    }
  }

  /// Continues after the receiver has acknowledged a part.
  private mutating func continueSending(
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
      // If there was no request, no receiver is listening.
      return close(hasBegun ? .timedOut : .noAnswer, tellsReceiver: hasBegun, at: now)
    // The driver takes nothing.
    case .awaitingAnswer where unsentCount > 0, .streaming: return close(.timedOut, at: now)
    case .awaitingAnswer(.endOfBatch): return finish(.done)
    case .awaitingAnswer(.endOfFile):
      // The receiver has probably ended: another EOT would end the shell that runs now.
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
    case .settling(let part, let request):
      return continueSending(after: part, request: request, at: now)
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
      // There is a time limit, because the device may hold the line.
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
  /// Whether the byte is an ASCII letter or digit.
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
