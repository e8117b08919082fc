/// Receives files by ZMODEM, as Forsberg's specification of 1988 has it.
///
/// ## Principles of operation
///
/// - What is undamaged, and at the right place, is written. After an error, the sender is asked once for the
///   position that is wanted, and everything is skipped until a frame begins there. It is asked again when
///   more than what may be on its way was skipped, or nothing comes.
/// - A file of which a part is there is continued if the sender has the same bytes up to there: their CRC-32
///   is compared. Otherwise it is received from its beginning.
/// - A sender that was started again, or is back after the port was lost, continues the file if it offers one
///   of the same name and size. Files of the session that are complete are skipped then.
/// - What the sender wants done with existing files is ignored, and so are its commands.
/// - No more is accepted than was announced. A size of 0 is taken as unknown if data come: some senders do
///   not know it. Positions have 32 bits: a file of 4 GiB or more is refused.
public struct ZmodemReceiver: TransferMachine {
  private enum State {
    case new
    /// ZRINIT was sent.
    case inviting
    /// The driver decides about a file.
    case deciding
    /// The beginning of the file is compared: ZCRC was sent.
    case comparing
    /// ZRPOS was sent, or data come.
    case receiving
    /// ZFIN was answered.
    case closing
  }

  private var side: ZmodemSide
  private var decoder = ZmodemDecoder(readsData: true)
  private var state = State.new
  private var startTime = Duration.zero
  /// When something came that the transfer needs.
  private var progressTime = Duration.zero
  /// Whether the sender has answered.
  private var isAnswered = false
  /// When the present request is repeated; nil until the port has taken it.
  private var repeatTime: Duration?
  /// When the last request was sent.
  private var requestTime = Duration.zero
  /// Errors without progress.
  private var errorCount = 0
  /// How much is skipped before the position is asked for again.
  private var skipLimit = 0
  /// The frame whose subpackets come; nil if they are skipped.
  private var frame: ZmodemHeader?
  private var refused: [UInt8]?

  // The file.
  private var file: TransferredFile?
  /// The number of bytes that were received of it.
  private var position = 0
  private var partialCount = 0
  private var comparisons = 0
  private var theirSum: UInt32?
  private var ourSum: UInt32??
  /// Files of the session that are complete, to recognize them when the sender begins again.
  private var completeFiles: [TransferredFile] = []
  /// Whether the sender may have begun again since a file was complete.
  private var mayBeRepeated = false

  private var progress = TransferProgress()
  private var reported = TransferProgress()
  private var outcome = TransferEnd.done
  /// The number of characters `O` at the end of the session.
  private var lastCharacterCount = 0

  public init(conditions: TransferConditions) { side = ZmodemSide(conditions) }

  public mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard !side.hasFinished else { return [] }
    side.begin(at: now)
    if case .woken = event { side.woke() }
    if case .sent(let count) = event { side.portTook(count) }
    if side.isBreakingOff {
      side.handleWhileBreakingOff(event)
    } else {
      take(event)
    }
    if !side.hasFinished, progress != reported {
      reported = progress
      side.perform(.progress(progress))
    }
    return side.end(wakeTime: wakeTime)
  }

  // MARK: Events

  private mutating func take(_ event: TransferEvent) {
    switch event {
    case .begun:
      startTime = side.now
      progressTime = side.now
      state = .inviting
      request()
    case .received(let bytes): take(bytes)
    case .sent: if side.unsentCount == 0 { schedule() }
    case .accepted(let count): accept(count)
    case .declined:
      guard state == .deciding else { return }
      file = nil
      state = .inviting
      side.send(ZmodemHeader(.zskip))
      progressTime = side.now
    case .checksum(let sum):
      guard state == .comparing else { return }
      ourSum = .some(sum)
      compare()
    case .storageFailed: side.fail(.storage)
    case .woken: wake()
    case .stopped: side.fail(.stopped)
    case .lost: lose()
    case .regained: regain()
    case .room, .file, .read: break
    }
  }

  private mutating func take(_ bytes: [UInt8]) {
    guard !side.isLost, state != .new else { return }
    decoder.feed(bytes)
    if state == .closing { takeLastCharacters(bytes) }
    while !side.hasFinished, !side.isBreakingOff, let item = decoder.next() {
      switch item {
      case .header(let header): take(header)
      case .subpacket(let count, let end): take(count, end)
      case .damagedSubpacket: takeDamagedSubpacket()
      case .damagedHeader: takeDamagedHeader()
      case .cancelled:
        write()
        side.fail(.cancelled)
      }
    }
    side.pass(decoder.takeText())
    write()
    if state == .receiving, frame == nil, decoder.skippedCount > skipLimit { countAndRequest() }
  }

  private mutating func write() {
    let bytes = decoder.takeKept()
    if !bytes.isEmpty { side.perform(.write(bytes)) }
  }

  private mutating func take(_ header: ZmodemHeader) {
    // A shell may echo the invitation.
    if header.frame != .zrinit { decoder.keepsText = false }
    frame = header.frame.hasData ? header : nil
    switch header.frame {
    case .zrqinit: takeInvitation()
    case .zdata: takeData(header)
    case .zeof: takeEnd(header)
    case .zfin: takeFarewell()
    case .zcrc:
      guard state == .comparing else { return }
      theirSum = header.word
      compare()
    case .zskip:
      guard state == .receiving || state == .comparing else { return }
      makeProgress()
      abandon()
      state = .inviting
      request()
    case .zfreecnt: side.send(ZmodemHeader(.zack))
    case .znak: if state != .deciding { countAndRequest() }
    case .zabort: side.fail(.cancelled)
    case .zferr: side.fail(.otherStorage)
    default: break
    }
  }

  private mutating func take(_ count: Int, _ end: ZmodemEnd) {
    guard let frame else { return }
    switch frame.frame {
    case .zdata:
      guard accept(count, end) else { return }
    case .zsinit: side.send(ZmodemHeader(.zack))
    case .zfile: takeOffer(decoder.takeSubpacket())
    case .zcommand:
      let command = Array(decoder.takeSubpacket().prefix { $0 != 0 })
      side.send(ZmodemHeader(.zcompl, 1))
      if refused != command {
        refused = command
        side.perform(.say(.commandRefused(command)))
      }
    default: break
    }
    if end.endsFrame { self.frame = nil }
  }

  private mutating func takeDamagedSubpacket() {
    let wasData = frame?.frame == .zdata
    let wasOther = frame != nil && !wasData
    frame = nil
    if wasData {
      countAndRequest()
    } else if wasOther, state != .deciding, countError() {
      side.send(ZmodemHeader(.znak))
    }
  }

  private mutating func takeDamagedHeader() {
    switch state {
    case .receiving: countAndRequest()
    case .inviting:
      // Also echoes and noise look like headers before the sender begins.
      if countError() { side.send(ZmodemHeader(.znak)) }
    case .comparing, .closing: countAndRequest()
    case .new, .deciding: break
    }
  }

  // MARK: Requests

  /// Sends what the present state waits for an answer to.
  private mutating func request() {
    requestTime = side.now
    switch state {
    case .new, .deciding: break
    case .inviting:
      side.send(
        ZmodemHeader(
          .zrinit,
          flags: ZmodemHeader.Capability.fullDuplex | ZmodemHeader.Capability.overlapsStorage
            | ZmodemHeader.Capability.crc32
            | (side.conditions.escapesControls ? ZmodemHeader.Capability.escapesControls : 0)))
    case .comparing: side.send(ZmodemHeader(.zcrc, partialCount))
    case .receiving:
      decoder.seekHeader()
      frame = nil
      // What may be on its way. It doubles with each request that has no effect.
      let stock = side.conditions.bytesPerSecond.map { 4_096 + 2 * $0 } ?? 65_536
      skipLimit = stock << min(errorCount, 8)
      side.send(ZmodemHeader(.zrpos, position))
    case .closing: side.send(ZmodemHeader(.zfin))
    }
    schedule()
  }

  private mutating func schedule() {
    switch state {
    case .new, .deciding: repeatTime = nil
    case .inviting: repeatTime = side.time(for: ZmodemPatience.invitation)
    case .comparing: repeatTime = side.time(for: ZmodemPatience.request)
    case .receiving: repeatTime = side.time(for: ZmodemPatience.data)
    case .closing: repeatTime = side.time(for: ZmodemPatience.lastCharacters)
    }
  }

  private mutating func makeProgress() {
    progressTime = side.now
    errorCount = 0
    isAnswered = true
  }

  /// Counts an error.
  ///
  /// - Returns: whether the transfer goes on.
  private mutating func countError() -> Bool {
    errorCount += 1
    guard isAnswered else { return true }
    progress.retries += 1
    guard errorCount <= ZmodemPatience.errors else {
      write()
      side.fail(.tooManyErrors)
      return false
    }
    return true
  }

  private mutating func countAndRequest() { if countError() { request() } }

  // MARK: The session

  private mutating func takeInvitation() {
    switch state {
    case .new, .deciding, .closing: return
    case .inviting:
      makeProgress()
      mayBeRepeated = true
    case .comparing, .receiving:
      // The sender was started again.
      guard countError() else { return }
      write()
      mayBeRepeated = true
      state = .inviting
    }
    request()
  }

  private mutating func takeFarewell() {
    makeProgress()
    write()
    if file != nil, state != .closing { outcome = .failed(.cancelled) }
    state = .closing
    request()
    takeLastCharacters(decoder.takeRest())
  }

  /// Takes `OO`, which some senders leave out. Everything else belongs to the user: a prompt, usually.
  private mutating func takeLastCharacters(_ bytes: [UInt8]) {
    for (index, byte) in bytes.enumerated() {
      if lastCharacterCount < 2, byte == UInt8(ascii: "O") {
        lastCharacterCount += 1
      } else if lastCharacterCount > 0 || !Self.headerEnd.contains(byte) {
        side.perform(.pass(Array(bytes[index...])))
        return side.finish(outcome)
      }
    }
    if lastCharacterCount == 2 { side.finish(outcome) }
  }

  /// What ends a header in hexadecimal digits: CR, LF, XON.
  private static let headerEnd: Set<UInt8> = [0x0A, 0x0D, 0x11, 0x8A, 0x8D]

  // MARK: The file

  private mutating func takeOffer(_ text: [UInt8]) {
    guard let offered = FileHeader.decoded(text) else {
      return side.send(ZmodemHeader(.zskip))
    }
    guard state == .inviting || state == .receiving || state == .comparing else { return }
    makeProgress()
    if let file {
      if file.name == offered.name, file.size == offered.size {
        // Again, or after the sender was started again.
        return begin(at: state == .comparing ? 0 : position)
      }
      if isComplete(offered) { return side.send(ZmodemHeader(.zskip)) }
      abandon()
    }
    if mayBeRepeated, isComplete(offered) { return side.send(ZmodemHeader(.zskip)) }
    guard offered.size ?? 0 <= largestSize else {
      side.perform(.say(.tooLarge(offered)))
      return side.fail(.tooLarge)
    }
    file = offered
    position = 0
    progress.position = 0
    mayBeRepeated = false
    state = .deciding
    side.perform(.offer(offered))
  }

  private var largestSize: Int {
    min(side.conditions.largestFile ?? .max, Int(UInt32.max))
  }

  private func isComplete(_ offered: TransferredFile) -> Bool {
    completeFiles.contains { $0.name == offered.name && $0.size == offered.size }
  }

  /// The sender gives the present file up.
  private mutating func abandon() {
    write()
    file = nil
    side.perform(.endFile(.skipped))
  }

  private mutating func accept(_ count: Int) {
    guard state == .deciding, let file else { return }
    progressTime = side.now
    guard count > 0, let size = file.size, count <= size else { return begin(at: 0) }
    partialCount = count
    (theirSum, ourSum, comparisons) = (nil, nil, 0)
    state = .comparing
    side.perform(.checksum(count: count))
    request()
  }

  private mutating func compare() {
    guard let theirSum, let ourSum else { return }
    makeProgress()
    if ourSum == theirSum {
      side.perform(.resume(at: partialCount))
      side.perform(.say(.resumed(at: partialCount)))
      begin(at: partialCount)
    } else {
      begin(at: 0)
    }
  }

  /// Asks for the file from a position on.
  private mutating func begin(at position: Int) {
    self.position = position
    progress.position = position
    state = .receiving
    request()
  }

  private mutating func takeData(_ header: ZmodemHeader) {
    if state == .comparing {
      // It does not know ZCRC.
      begin(at: 0)
      frame = header
    }
    guard state == .receiving else {
      frame = nil
      decoder.seekHeader()
      if state == .inviting, countError() {
        mayBeRepeated = true
        if file == nil { request() } else { askForPosition() }
      }
      return
    }
    guard header.number != position else { return }
    decoder.seekHeader()
    frame = nil
    countAndRequest()
  }

  /// A sender that has gone on after an interruption gets the position, as it got it before.
  private mutating func askForPosition() {
    state = .receiving
    request()
  }

  /// Takes a subpacket of the file.
  ///
  /// - Returns: whether the frame goes on.
  private mutating func accept(_ count: Int, _ end: ZmodemEnd) -> Bool {
    let announced = file?.size.flatMap { $0 > 0 ? $0 : nil } ?? .max
    guard position + count <= min(announced, largestSize) else {
      write()
      side.fail(.tooLarge)
      return false
    }
    decoder.keepSubpacket()
    position += count
    progress.position = position
    if count > 0 { errorCount = 0 }
    progressTime = side.now
    repeatTime = side.now + ZmodemPatience.data
    if end == .acknowledged || end == .waits { side.send(ZmodemHeader(.zack, position)) }
    return true
  }

  private mutating func takeEnd(_ header: ZmodemHeader) {
    switch state {
    case .inviting where isAnswered && file == nil:
      mayBeRepeated = true
      request()
    case .receiving where header.number == position:
      write()
      makeProgress()
      if let file {
        // The sender, or its file, ended early.
        guard position >= file.size ?? 0 else { return side.fail(.tooShort) }
        if completeFiles.count == 1_000 { completeFiles.removeFirst() }
        completeFiles.append(file)
      }
      side.perform(.endFile(.complete))
      file = nil
      state = .inviting
      request()
    case .receiving:
      // It may have been sent before the sender saw the last request.
      if side.now >= requestTime + .seconds(1) { countAndRequest() }
    default: break
    }
  }

  // MARK: Time

  private var wakeTime: Duration? {
    guard !side.isLost, state != .new, state != .deciding else { return nil }
    let end =
      isAnswered
      ? progressTime + side.conditions.silencePatience : startTime + side.conditions.startPatience
    return repeatTime.map { min($0, end) } ?? end
  }

  private mutating func wake() {
    guard !side.isLost, state != .new, state != .deciding else { return }
    if !isAnswered, side.now >= startTime + side.conditions.startPatience {
      return side.fail(.noAnswer)
    }
    if isAnswered, side.now >= progressTime + side.conditions.silencePatience {
      return state == .closing ? side.finish(outcome) : side.fail(.timedOut)
    }
    guard let repeatTime, side.now >= repeatTime else { return }
    switch state {
    case .closing: side.finish(outcome)
    case .comparing:
      comparisons += 1
      if comparisons < 2 { request() } else { begin(at: 0) }
    case .receiving:
      progress.retries += 1
      request()
    case .inviting, .new, .deciding: request()
    }
  }

  // MARK: The port

  private mutating func lose() {
    side.portWasLost()
    decoder.reset()
    frame = nil
    if state == .closing { side.finish(outcome) }
  }

  private mutating func regain() {
    side.portIsBack()
    progressTime = side.now
    startTime = side.now
    mayBeRepeated = true
    errorCount = 0
    request()
  }
}
