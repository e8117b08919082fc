/// Sends files by ZMODEM, according to Forsberg's specification of 1988.
///
/// ## Principles of operation
///
/// - Data are sent without waiting, in one frame for each file, and the receiver is silent unless
///   data are damaged. Then it requests a position. Queued bytes are withdrawn, and a new frame
///   begins at that position. The first subpacket of the frame is acknowledged, so that no old data
///   are under way when the stream continues.
/// - The end of a file is acknowledged. Otherwise a receiver that is restarted at the right moment
///   would look like one that has received everything.
/// - A receiver with a limited buffer, or one that cannot receive while it writes or sends, gets
///   frames that fit into the buffer, and acknowledges each. With a window, the sender is never
///   further ahead of the acknowledgements than that.
/// - If a request is repeated soon after its answer, it may have crossed the answer. It is answered
///   again only after the time of a round trip.
/// - After the port was lost, a receiver that still runs is asked for its position, and one that
///   was restarted is offered the file again. Both then request the missing part.
/// - Positions have 32 bits: a file of 4 GiB or more is refused. (lrzsz sends such files, but its
///   receiver never accepts their end.)
struct ZmodemSender: TransferMachine {
  private enum State: Equatable {
    case new
    /// Waits for ZRINIT.
    case inviting
    /// Waits for the next file from the driver.
    case fetching
    /// ZSINIT was sent.
    case introducing
    /// ZFILE was sent.
    case offering
    /// Data are sent.
    case sending
    /// ZEOF was sent.
    case ending
    /// ZFIN was sent. The transfer then ends like this.
    case closing(TransferEnd)

    var isClosing: Bool { if case .closing = self { true } else { false } }
  }

  /// The purpose of a read.
  private enum Reading {
    case data(wanted: Int)
    case sum(ZmodemFileSum)
    /// The sum is continued with the next event: a long file must not keep the driver from
    /// handling other events.
    case pausedSum(ZmodemFileSum)
    case obsolete
  }

  /// The present file.
  private struct File {
    let info: TransferredFile
    /// Whether it was shorter than announced.
    var isShort = false
    /// Whether the receiver may already have the whole file, and was restarted since.
    var mayBeComplete = false
    /// The number of times that the receiver was restarted.
    var offerCount = 0
  }

  private var side: ZmodemSide
  private var decoder = ZmodemDecoder(readsData: false)
  private var encoder = ZmodemEncoder()
  private let startsReceiver: Bool

  private var state = State.new
  private var request = ZmodemRequest()
  private var file: File?
  private var stream: ZmodemStream
  private var sentData = ZmodemSentData()
  private var reading: Reading?

  private var startTime = Duration.zero
  /// The time of the last event that advanced the transfer.
  private var progressTime = Duration.zero
  /// The number of errors since the last progress.
  private var errorCount = 0
  /// Whether the receiver has answered.
  private var isAnswered = false
  /// Whether the receiver has asked for escaped control characters itself.
  private var escapesByItself = false
  private var hasIntroduced = false
  private var wasLost = false

  // The queue of the driver.
  private var hasRoom = true
  private var awaitsRoom = false
  /// The maximum number of queued bytes. They are withdrawn when the receiver
  /// requests another position.
  private static let queueLength = 16_384

  /// - Parameters:
  ///   - window: the maximum number of unacknowledged bytes; nil for no limit. It is useful where
  ///     much data is stored on the way, as in some networks.
  ///   - startsReceiver: whether to send the command `rz`, which starts a receiver in a shell at
  ///     the other end.
  init(conditions: TransferConditions, window: Int? = nil, startsReceiver: Bool = false) {
    side = ZmodemSide(conditions)
    stream = ZmodemStream(window: window, bytesPerSecond: conditions.bytesPerSecond)
    self.startsReceiver = startsReceiver
  }

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
    if !side.hasFinished, let news = sentData.news(on: side) { side.perform(.progress(news)) }
    return side.end(wakeTime: wakeTime)
  }

  // MARK: Events

  private mutating func handle(_ event: TransferEvent) {
    switch event {
    case .begun:
      startTime = side.now
      progressTime = side.now
      if startsReceiver { side.send(Array("rz\r".utf8)) }
      state = .inviting
      sendRequest()
    case .received(let bytes): handle(bytes)
    case .sent(let count):
      // It is progress when the port takes new data, but not when it takes repeated bytes.
      if sentData.contains(last: count, on: side) { progressTime = side.now }
      if side.unsentCount == 0 { request.schedule(on: side) }
    case .room:
      awaitsRoom = false
      hasRoom = true
      continueSending()
    case .file(let file): handle(file)
    case .read(let bytes): handle(read: bytes)
    case .storageFailed: side.fail(.storage)
    case .woken: wake()
    case .stopped: side.fail(.stopped)
    case .lost: handleLoss()
    case .regained: handleReturn()
    case .accepted, .declined, .checksum: break
    }
  }

  private mutating func handle(_ bytes: [UInt8]) {
    guard !side.isLost else { return }
    decoder.feed(bytes)
    while !side.hasFinished, !side.isBreakingOff, let item = decoder.next() {
      switch item {
      case .header(let header): handle(header)
      case .damagedHeader: handleDamagedHeader()
      case .cancelled: side.fail(isShort ? .tooShort : .cancelled)
      case .subpacket, .damagedSubpacket: break
      }
    }
    side.pass(decoder.removeText())
  }

  private mutating func handle(_ header: ZmodemHeader) {
    // A shell may echo the invitation.
    if header.frame != .zrqinit { decoder.keepsText = false }
    switch header.frame {
    case .zchallenge: return side.send(ZmodemHeader(.zack, header.number))
    case .zferr where !state.isClosing: return close(.failed(.otherStorage))
    case .zabort where !state.isClosing: return close(.failed(.cancelled))
    default: break
    }
    switch (state, header.frame) {
    case (.inviting, .zrinit):
      isAnswered = true
      adopt(header)
      makeProgress()
      fetchFile()
    case (.introducing, .zack):
      makeProgress()
      offer()
    case (.offering, .zrpos):
      guard stream.contains(header.number) else { return }
      makeProgress()
      if request.count == 1 { request.measureRoundTrip(on: side, isLonger: false) }
      if header.number > 0 || wasLost { side.perform(.say(.resumed(at: header.number))) }
      wasLost = false
      file?.mayBeComplete = false
      start(at: header.number, isResuming: false)
    case (.offering, .zcrc): sendSum(of: header.number)
    case (.offering, .zskip), (.sending, .zskip), (.ending, .zskip):
      makeProgress()
      withdraw()
      endFile(file?.mayBeComplete == true ? .complete : .skipped)
    case (.sending, .zrpos), (.ending, .zrpos): restart(at: header.number)
    case (.sending, .zack): acknowledge(header.number)
    case (.sending, .zrinit): handleRestartedReceiver(header)
    case (.ending, .zrinit):
      makeProgress()
      endFile(.complete)
    case (.closing(let outcome), .zfin):
      side.send(Array("OO".utf8))
      side.finish(outcome)
    case (.offering, .zfin), (.sending, .zfin), (.ending, .zfin): close(.failed(.cancelled))
    case (_, .znak):
      // The receiver has received the request, and found it damaged.
      if state != .sending, side.unsentCount == 0 { countAndRepeatRequest() }
    case (.introducing, .zrinit), (.offering, .zrinit), (.closing, .zrinit):
      adopt(header)
      requestAgain()
    default: break
    }
  }

  private mutating func handleRestartedReceiver(_ header: ZmodemHeader) {
    adopt(header)
    withdraw()
    countError()
    file?.offerCount += 1
    if let file, file.offerCount > ZmodemPatience.errors { side.fail(.tooManyErrors) }
    guard !side.isBreakingOff else { return }
    offer()
  }

  /// Handles a damaged header of the receiver. Most probably it reports that data were damaged.
  private mutating func handleDamagedHeader() {
    switch state {
    case .sending where stream.awaited == nil:
      countError()
      guard !side.isBreakingOff else { return }
      withdraw()
      probe()
    case .new, .fetching: break
    default: requestAgain()
    }
  }

  private mutating func adopt(_ header: ZmodemHeader) {
    typealias Capability = ZmodemHeader.Capability
    encoder.usesCRC32 = header.flags & Capability.crc32 != 0
    escapesByItself = header.flags & Capability.escapesControls != 0
    encoder.escapesControls = side.conditions.escapesControls || escapesByItself
    stream.adopt(
      bufferLength: header.bufferLength,
      canStream: header.flags & Capability.fullDuplex != 0
        && header.flags & Capability.overlapsStorage != 0)
  }

  // MARK: Files

  private var isShort: Bool { file?.isShort == true }

  private mutating func fetchFile() {
    state = .fetching
    side.perform(.nextFile)
  }

  private mutating func handle(_ next: TransferredFile?) {
    guard state == .fetching else { return }
    guard let next else { return close(.done) }
    guard next.size ?? 0 <= Int(UInt32.max) else { return side.fail(.tooLarge) }
    file = File(info: next)
    stream.reset(size: next.size)
    sentData.progress.position = 0
    progressTime = side.now
    if encoder.escapesControls, !escapesByItself, !hasIntroduced {
      state = .introducing
      sendRequest()
    } else {
      offer()
    }
  }

  private mutating func offer() {
    hasIntroduced = true
    state = .offering
    sendRequest()
  }

  private mutating func endFile(_ end: FileEnd) {
    cancelReading()
    side.perform(.endFile(end))
    if isShort { close(.failed(.tooShort)) } else { fetchFile() }
  }

  private mutating func close(_ end: TransferEnd) {
    withdraw()
    cancelReading()
    state = .closing(isShort ? .failed(.tooShort) : end)
    sendRequest()
  }

  // MARK: Requests

  /// Sends the request of the present state.
  private mutating func sendRequest() {
    request.reset()
    errorCount = 0
    repeatRequest()
  }

  private mutating func repeatRequest() {
    request.isSent()
    switch state {
    case .new, .fetching: return
    case .inviting: side.send(ZmodemHeader(.zrqinit))
    case .introducing:
      // The receiver can read escaped bytes without ZSINIT.
      guard request.count <= 2 else { return offer() }
      side.send(ZmodemHeader(.zsinit, flags: ZmodemHeader.Capability.escapesControls))
      var attention = ZmodemEncoder()
      attention.escapesControls = true
      attention.append([0], end: .waits)
      side.send(attention.flush())
    case .offering:
      guard let file else { return }
      cancelReading()
      encoder.append(ZmodemHeader(.zfile))
      encoder.append(FileHeader.encoded(file.info, rest: " 0") + [0], end: .waits)
      side.send(encoder.flush())
    case .sending where wasLost && request.count % 3 == 0: side.send(ZmodemHeader(.zrqinit))
    case .sending: return probe()
    case .ending:
      encoder.append(ZmodemHeader(.zeof, stream.position))
      side.send(encoder.flush())
    case .closing:
      request.interval = ZmodemPatience.farewell
      side.send(ZmodemHeader(.zfin))
    }
    awaitAnswer()
  }

  /// Begins to wait for the answer to what was just sent.
  private mutating func awaitAnswer() {
    request.restart(at: side.now)
    request.schedule(on: side)
  }

  /// Handles a repeated request of the receiver.
  private mutating func requestAgain() {
    guard state != .sending else { return }
    guard let againTime, side.now >= againTime else {
      request.again = .request
      return
    }
    countAndRepeatRequest()
  }

  private mutating func countAndRepeatRequest() {
    countError()
    guard !side.isBreakingOff else { return }
    repeatRequest()
  }

  private var againTime: Duration? {
    request.againTime(on: side, isStreaming: state == .sending && stream.awaited == nil)
  }

  /// Records an event that advances the transfer.
  private mutating func makeProgress() {
    progressTime = side.now
    errorCount = 0
    request.again = nil
  }

  private mutating func withdraw() {
    side.withdraw()
    sentData.discard(on: side)
  }

  private mutating func countError() {
    sentData.progress.retries += 1
    errorCount += 1
    if errorCount > ZmodemPatience.errors {
      side.fail(.tooManyErrors)
    } else {
      progressTime = side.now
    }
  }

  // MARK: Time

  private var wakeTime: Duration? {
    guard !side.isLost, state != .new, state != .fetching else { return nil }
    var time =
      isAnswered
      ? progressTime + side.conditions.silencePatience : startTime + side.conditions.startPatience
    if let repeatTime = request.repeatTime, isWaiting { time = min(time, repeatTime) }
    if request.again != nil, let againTime { time = min(time, againTime) }
    if case .pausedSum = reading { time = side.now }
    return time
  }

  /// Whether the sender waits for an answer.
  private var isWaiting: Bool { state != .sending || stream.awaited != nil || stream.isFull }

  private mutating func wake() {
    guard !side.isLost else { return }
    if case .pausedSum(let sum) = reading { return read(sum) }
    if !isAnswered, side.now >= startTime + side.conditions.startPatience {
      return side.fail(.noAnswer)
    }
    if isAnswered, state != .fetching, side.now >= progressTime + side.conditions.silencePatience {
      guard case .closing(let outcome) = state else { return side.fail(.timedOut) }
      return side.finish(outcome)
    }
    if let again = request.again, let againTime, side.now >= againTime {
      request.again = nil
      countError()
      guard !side.isBreakingOff else { return }
      if state == .sending || again == .data {
        return start(at: stream.startPosition, isResuming: true)
      }
      return repeatRequest()
    }
    if isWaiting, let repeatTime = request.repeatTime, side.now >= repeatTime {
      if case .closing(let outcome) = state, request.count >= ZmodemPatience.farewells {
        return side.finish(outcome)
      }
      repeatRequest()
    }
  }

  // MARK: Reading

  private mutating func cancelReading() {
    switch reading {
    case .data, .sum, .obsolete: reading = .obsolete
    case .pausedSum, nil: reading = nil
    }
  }

  private mutating func handle(read bytes: [UInt8]) {
    let purpose = reading
    reading = nil
    switch purpose {
    case .data(let wanted): sendData(bytes, wanted: wanted)
    case .sum(let sum): handle(read: bytes, for: sum)
    case .obsolete, .pausedSum, nil: continueSending()
    }
  }

  /// Computes the CRC-32 of the first bytes of the file for the receiver; 0 stands for
  /// the whole file.
  private mutating func sendSum(of count: Int) {
    guard reading == nil else { return }
    read(ZmodemFileSum(of: count == 0 ? file?.info.size ?? Int(UInt32.max) : count))
  }

  private mutating func read(_ sum: ZmodemFileSum) {
    progressTime = side.now
    reading = .sum(sum)
    side.perform(.read(at: sum.offset, count: sum.nextCount))
  }

  private mutating func handle(read bytes: [UInt8], for sum: ZmodemFileSum) {
    var sum = sum
    if sum.append(bytes) {
      side.send(ZmodemHeader(.zcrc, sum.value))
      awaitAnswer()
    } else if sum.offset % (1 << 20) == 0 {
      reading = .pausedSum(sum)
    } else {
      read(sum)
    }
  }

  // MARK: Data

  /// Starts to send at a position.
  private mutating func start(at position: Int, isResuming: Bool) {
    withdraw()
    state = .sending
    stream.start(at: position, isResuming: isResuming)
    request.again = nil
    request.restart(at: side.now)
    sentData.progress.position = position
    hasRoom = true
    cancelReading()
    continueSending()
  }

  /// Starts again at the position that the receiver requests.
  private mutating func restart(at position: Int) {
    guard stream.contains(position) else { return }
    if position == stream.startPosition, againTime.map({ side.now < $0 }) ?? true {
      request.again = .data
      return
    }
    if position > stream.startPosition { errorCount = 0 }
    countError()
    guard !side.isBreakingOff else { return }
    reportReturn(at: position)
    file?.mayBeComplete = false
    stream.shortenPackets()
    start(at: position, isResuming: true)
  }

  /// Reports that the transfer continues, if the port was lost.
  private mutating func reportReturn(at position: Int) {
    guard wasLost else { return }
    wasLost = false
    side.perform(.say(.resumed(at: position)))
  }

  private mutating func acknowledge(_ number: Int) {
    switch stream.acknowledge(number) {
    case .unexpected: return
    case .repeated: break
    case .advanced: makeProgress()
    case .awaited:
      makeProgress()
      request.measureRoundTrip(on: side, isLonger: true)
      reportReturn(at: number)
      if number == stream.endPosition {
        state = .ending
        return sendRequest()
      }
    }
    continueSending()
  }

  /// Asks for the position of the receiver.
  private mutating func probe() {
    cancelReading()
    stream.probe(with: &encoder)
    side.send(encoder.flush())
    request.interval = ZmodemPatience.data
    awaitAnswer()
  }

  /// Reads the next data, if they may be sent now.
  private mutating func continueSending() {
    guard state == .sending, !side.isLost, reading == nil, stream.awaited == nil else { return }
    guard hasRoom else {
      if !awaitsRoom {
        awaitsRoom = true
        side.perform(.awaitRoom(below: Self.queueLength))
      }
      return
    }
    guard let count = stream.nextCount(upTo: Self.queueLength) else { return }
    hasRoom = false
    guard count > 0 else { return sendData([], wanted: 0) }
    reading = .data(wanted: count)
    side.perform(.read(at: stream.position, count: count))
  }

  private mutating func sendData(_ bytes: [UInt8], wanted: Int) {
    guard state == .sending else { return }
    if bytes.count < wanted {
      let isAnnounced = file?.info.size != nil
      file?.isShort = isAnnounced
      stream.endFile(after: bytes.count)
    }
    stream.encode(bytes, with: &encoder)
    request.interval = ZmodemPatience.data
    if stream.awaited != nil { request.restart(at: side.now) }
    side.send(encoder.flush())
    sentData.append(upTo: stream.position, on: side)
    request.schedule(on: side)
    continueSending()
  }

  // MARK: The port

  private mutating func handleLoss() {
    side.portWasLost()
    decoder.reset()
    sentData.discard(on: side)
    awaitsRoom = false
    request.again = nil
    if case .closing(let outcome) = state { side.finish(outcome) }
  }

  private mutating func handleReturn() {
    side.portIsBack()
    progressTime = side.now
    startTime = side.now
    switch state {
    case .sending, .ending:
      wasLost = true
      file?.mayBeComplete = state == .ending
      state = .sending
      request.reset()
      cancelReading()
      probe()
    case .new, .fetching: break
    default: sendRequest()
    }
  }
}
