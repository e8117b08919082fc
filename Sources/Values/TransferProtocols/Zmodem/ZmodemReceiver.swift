/// Receives files by ZMODEM, according to Forsberg's specification of 1988.
///
/// ## Principles of operation
///
/// - Undamaged data at the expected position are written. After an error, the receiver requests the
///   missing position once, and skips everything until a frame begins there. It repeats the request
///   when it has skipped more data than may be under way, or when nothing arrives.
/// - A partially received file is continued if the sender's file begins with the same bytes: their
///   CRC-32 is compared. Otherwise the file is received from its beginning.
/// - When a sender has been restarted, or the port returns after a loss, the present file is
///   continued if the sender offers a file of the same name and size. Completed files of the
///   session are then skipped.
/// - The sender's wishes about existing files are ignored, and so are its commands.
/// - Not more than the announced size is accepted. A size of 0 counts as unknown if data
///   arrive, because some senders do not know the size. Positions have 32 bits: a file of 4 GiB
///   or more is refused.
struct ZmodemReceiver: TransferMachine {
  private enum State {
    case new
    /// ZRINIT was sent.
    case inviting
    /// The driver decides whether to accept a file.
    case deciding
    /// ZCRC was sent to compare the beginning of the file.
    case comparing
    /// ZRPOS was sent, or data are arriving.
    case receiving
    /// ZFIN was answered.
    case closing
  }

  private var side: ZmodemSide
  private var decoder = ZmodemDecoder(readsData: true)
  private var state = State.new
  private var startTime = Duration.zero
  /// The time of the last event that advanced the transfer.
  private var progressTime = Duration.zero
  /// Whether the sender has answered.
  private var isAnswered = false
  /// The time to repeat the present request; nil until the port has taken it.
  private var repeatTime: Duration?
  /// The time of the last request.
  private var requestTime = Duration.zero
  /// The number of errors since the last progress.
  private var errorCount = 0
  /// The number of bytes to skip before the position is requested again.
  private var skipLimit = 0
  /// The frame whose subpackets are arriving; nil if they are skipped.
  private var frame: ZmodemHeader?
  private var refused: [UInt8]?

  // State of the file.
  private var file: TransferredFile?
  /// The number of bytes of the file that were received.
  private var position = 0
  private var partialCount = 0
  private var comparisons = 0
  private var theirSum: UInt32?
  private var ourSum: UInt32??
  /// The completed files of the session, to recognise them when the sender begins again.
  private var completeFiles: [TransferredFile] = []
  /// Whether the sender may have begun again since a file was completed.
  private var mayBeRepeated = false

  private var progress = TransferProgress()
  private var reported = TransferProgress()
  private var outcome = TransferEnd.done
  /// The number of `O` characters at the end of the session.
  private var lastCharacterCount = 0

  init(conditions: TransferConditions) { side = ZmodemSide(conditions) }

  mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard !side.hasFinished else { return [] }
    side.begin(at: now)
    if case .woken = event { side.woke() }
    if case .sent(let count) = event { side.portAccepted(count) }
    if side.isBreakingOff {
      side.handleWhileBreakingOff(event)
    } else {
      handle(event)
    }
    if !side.hasFinished, progress != reported {
      reported = progress
      side.perform(.progress(progress))
    }
    return side.end(wakeTime: wakeTime)
  }

  // MARK: Events

  private mutating func handle(_ event: TransferEvent) {
    switch event {
    case .begun:
      startTime = side.now
      progressTime = side.now
      state = .inviting
      request()
    case .received(let bytes): handle(bytes)
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
    case .lost: handleLoss()
    case .regained: handleReturn()
    case .room, .file, .read: break
    }
  }

  private mutating func handle(_ bytes: [UInt8]) {
    guard !side.isLost, state != .new else { return }
    decoder.feed(bytes)
    if state == .closing { handleLastCharacters(bytes) }
    while !side.hasFinished, !side.isBreakingOff, let item = decoder.next() {
      switch item {
      case .header(let header): handle(header)
      case .subpacket(let count, let end): handle(count, end)
      case .damagedSubpacket: handleDamagedSubpacket()
      case .damagedHeader: handleDamagedHeader()
      case .cancelled:
        write()
        side.fail(.cancelled)
      }
    }
    side.pass(decoder.removeText())
    write()
    if !side.isBreakingOff, state == .receiving, frame == nil, decoder.skippedCount > skipLimit {
      countAndRequest()
    }
  }

  private mutating func write() {
    let bytes = decoder.removeKept()
    if !bytes.isEmpty { side.perform(.write(bytes)) }
  }

  private mutating func handle(_ header: ZmodemHeader) {
    // A shell may echo the invitation.
    if header.frame != .zrinit { decoder.keepsText = false }
    frame = header.frame.hasData ? header : nil
    switch header.frame {
    case .zrqinit: handleInvitation()
    case .zdata: handleData(header)
    case .zeof: handleEnd(header)
    case .zfin: handleFarewell()
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

  private mutating func handle(_ count: Int, _ end: ZmodemEnd) {
    guard let frame else { return }
    switch frame.frame {
    case .zdata:
      guard accept(count, end) else { return }
    case .zsinit: side.send(ZmodemHeader(.zack))
    case .zfile: handleOffer(decoder.removeSubpacket())
    case .zcommand:
      let command = Array(decoder.removeSubpacket().prefix { $0 != 0 })
      side.send(ZmodemHeader(.zcompl, 1))
      if refused != command {
        refused = command
        side.perform(.say(.commandRefused(command)))
      }
    default: break
    }
    if end.endsFrame { self.frame = nil }
  }

  private mutating func handleDamagedSubpacket() {
    let wasData = frame?.frame == .zdata
    let wasOther = frame != nil && !wasData
    frame = nil
    if wasData {
      countAndRequest()
    } else if wasOther, state != .deciding, countError() {
      side.send(ZmodemHeader(.znak))
    }
  }

  private mutating func handleDamagedHeader() {
    switch state {
    case .receiving: countAndRequest()
    case .inviting:
      // Before the sender begins, echoes and noise may also look like headers.
      if countError() { side.send(ZmodemHeader(.znak)) }
    case .comparing, .closing: countAndRequest()
    case .new, .deciding: break
    }
  }

  // MARK: Requests

  /// Sends the request of the present state.
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
      // The amount of data that may be under way. It doubles with each request that has no effect.
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
  /// - Returns: whether the transfer continues.
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

  private mutating func handleInvitation() {
    switch state {
    case .new, .deciding, .closing: return
    case .inviting:
      makeProgress()
      mayBeRepeated = true
    case .comparing, .receiving:
      // The sender was restarted.
      guard countError() else { return }
      write()
      mayBeRepeated = true
      state = .inviting
    }
    request()
  }

  private mutating func handleFarewell() {
    makeProgress()
    write()
    if file != nil, state != .closing { outcome = .failed(.cancelled) }
    state = .closing
    request()
    handleLastCharacters(decoder.removeRest())
  }

  /// Handles `OO`, which some senders omit. All other bytes belong to the user: usually a prompt.
  private mutating func handleLastCharacters(_ bytes: [UInt8]) {
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

  /// The end of a header in hexadecimal digits: CR, LF, XON.
  private static let headerEnd: Set<UInt8> = [0x0A, 0x0D, 0x11, 0x8A, 0x8D]

  // MARK: The file

  private mutating func handleOffer(_ text: [UInt8]) {
    guard let offered = FileHeader.decoded(text) else {
      return side.send(ZmodemHeader(.zskip))
    }
    guard state == .inviting || state == .receiving || state == .comparing else { return }
    makeProgress()
    if let file {
      if file.name == offered.name, file.size == offered.size {
        // The offer was repeated, possibly because the sender was restarted.
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

  /// Gives up the present file, because the sender did.
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

  /// Requests the file from a position on.
  private mutating func begin(at position: Int) {
    self.position = position
    progress.position = position
    state = .receiving
    request()
  }

  private mutating func handleData(_ header: ZmodemHeader) {
    if state == .comparing {
      // The sender does not support ZCRC.
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

  /// Repeats the position for a sender that has continued after an interruption.
  private mutating func askForPosition() {
    state = .receiving
    request()
  }

  /// Handles a subpacket of the file.
  ///
  /// - Returns: whether the frame continues.
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

  private mutating func handleEnd(_ header: ZmodemHeader) {
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
      // It may have been sent before the sender received the last request.
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

  private mutating func handleLoss() {
    side.portWasLost()
    decoder.reset()
    frame = nil
    if state == .closing { side.finish(outcome) }
  }

  private mutating func handleReturn() {
    side.portIsBack()
    progressTime = side.now
    startTime = side.now
    mayBeRepeated = true
    errorCount = 0
    request()
  }
}
