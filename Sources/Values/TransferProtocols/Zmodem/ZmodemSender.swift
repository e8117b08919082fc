/// Sends files by ZMODEM, according to Forsberg's specification of 1988.
///
/// ## Principles of operation
///
/// - Data are sent without waiting, in one frame for each file, and the receiver is silent unless data are damaged.
///   Then it requests a position. Queued bytes are withdrawn, and a new frame begins at that position. The first
///   subpacket of the frame is acknowledged, so that no old data are under way when the stream continues.
/// - The end of a file is acknowledged. Otherwise a receiver that is restarted at the right moment would look like
///   one that has received everything.
/// - A receiver with a limited buffer, or one that cannot receive while it writes or sends, gets frames that fit into
///   the buffer, and acknowledges each. With a window, the sender is never further ahead of the acknowledgements than
///   that.
/// - If a request is repeated soon after its answer, it may have crossed the answer. It is answered again only after
///   the time of a round trip.
/// - After the port was lost, a receiver that still runs is asked for its position, and one that was restarted is
///   offered the file again. Both then request the missing part.
/// - Positions have 32 bits: a file of 4 GiB or more is refused. (lrzsz sends such files, but its receiver never
///   accepts their end.)
public struct ZmodemSender: TransferMachine {
  private enum State {
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
    /// ZFIN was sent.
    case closing
  }

  /// The purpose of a read.
  private enum Reading { case data(wanted: Int), checksum, obsolete }

  private var side: ZmodemSide
  private var decoder = ZmodemDecoder(readsData: false)
  private var encoder = ZmodemEncoder()
  private let startsReceiver: Bool
  private let window: Int?

  private var state = State.new
  private var startTime = Duration.zero
  /// The time of the last event that advanced the transfer.
  private var progressTime = Duration.zero
  /// Whether the receiver has answered.
  private var isAnswered = false
  /// The time to repeat the present request; nil until the port has taken it.
  private var repeatTime: Duration?
  private var repeatInterval = ZmodemPatience.request
  /// The number of times that the present request was sent.
  private var requestCount = 0
  /// The time when the present request was sent, or the present frame begun.
  private var requestTime = Duration.zero
  /// Whether the receiver has repeated a request so soon that it may not have received the answer yet.
  private var wantsAgain = false
  /// Whether that answer is a frame of data.
  private var wantsRestart = false
  /// The time from the end of a frame to its acknowledgement. It is long until it was measured.
  private var roundTrip = Duration.seconds(1)

  // State of the receiver.
  private var canStream = true
  private var bufferLength = 0
  private var escapesByItself = false
  private var hasIntroduced = false
  /// The number of times that the receiver was restarted during the present file.
  private var offerCount = 0

  // State of the file.
  private var file: TransferredFile?
  private var position = 0
  /// The end of the file: its announced size, or the end found by reading.
  private var endPosition: Int?
  /// Whether the file was shorter than announced.
  private var isShort = false
  /// Whether the receiver may already have the whole file, and was restarted since.
  private var mayBeComplete = false
  private var reading: Reading?
  private var reader = (offset: 0, end: 0, crc: CRC32())
  private var continuesReading = false

  // State of the stream.
  private var hasFrame = false
  private var frameStart = 0
  private var acknowledged = 0
  /// The position whose acknowledgement is awaited.
  private var awaited: Int?
  /// Whether the receiver acknowledges the first subpacket of the frame.
  private var isResuming = false
  private var hasRoom = true
  private var awaitsRoom = false
  private var packetLength: Int
  private let longestPacket: Int
  /// The number of subpackets since the last error.
  private var goodCount = 0
  /// The number of errors since the last progress.
  private var errorCount = 0
  private var restartPosition = -1
  private var retryCount = 0
  /// The position after the last data bytes, counted in all sent bytes.
  private var dataEnd = 0
  /// The file position after certain numbers of sent bytes.
  private var marks: [(sent: Int, position: Int)] = []
  private var progress = TransferProgress()
  private var reported = TransferProgress()

  private var outcome = TransferEnd.done
  private var wasLost = false

  /// - Parameters:
  ///   - window: the maximum number of unacknowledged bytes; nil for no limit. It is useful where much data is stored
  ///     on the
  ///     way, as in some networks.
  ///   - startsReceiver: whether to send the command `rz`, which starts a receiver in a shell at the other end.
  public init(conditions: TransferConditions, window: Int? = nil, startsReceiver: Bool = false) {
    side = ZmodemSide(conditions)
    self.window = window.map { max($0, 256) }
    self.startsReceiver = startsReceiver
    // The specification recommends these lengths.
    longestPacket =
      switch conditions.bytesPerSecond {
      case .some(..<240): 256
      case .some(..<480): 512
      default: 1_024
      }
    packetLength = longestPacket
  }

  public mutating func handle(_ event: TransferEvent, at now: Duration) -> [TransferAction] {
    guard !side.hasFinished else { return [] }
    side.begin(at: now)
    if case .woken = event { side.woke() }
    if case .sent(let count) = event { side.portAccepted(count) }
    if side.isBreakingOff {
      side.handleWhileBreakingOff(event)
    } else {
      handle(event)
    }
    reportProgress()
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
      request()
    case .received(let bytes): handle(bytes)
    case .sent(let count):
      // It is progress when the port takes new data, but not when it takes repeated bytes.
      if side.sentCount - side.unsentCount - count < dataEnd { progressTime = side.now }
      if side.unsentCount == 0 { schedule() }
    case .room:
      awaitsRoom = false
      hasRoom = true
      pump()
    case .file(let file): handle(file)
    case .read(let bytes): handle(read: bytes)
    case .storageFailed: side.fail(.storage)
    case .woken: wake()
    case .stopped:
      side.fail(.stopped)
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
    case .zferr where state != .closing: return close(.failed(.otherStorage))
    case .zabort where state != .closing: return close(.failed(.cancelled))
    default: break
    }
    switch (state, header.frame) {
    case (.inviting, .zrinit):
      isAnswered = true
      adopt(header)
      makeProgress()
      state = .fetching
      side.perform(.nextFile)
    case (.introducing, .zack):
      makeProgress()
      offer()
    case (.offering, .zrpos):
      guard isPossible(header.number) else { return }
      makeProgress()
      if requestCount == 1 { measureRoundTrip(isLonger: false) }
      if header.number > 0 || wasLost { side.perform(.say(.resumed(at: header.number))) }
      wasLost = false
      mayBeComplete = false
      start(at: header.number, isResuming: false)
    case (.offering, .zcrc): sum(header.number)
    case (.offering, .zskip), (.sending, .zskip), (.ending, .zskip):
      makeProgress()
      withdraw()
      endFile(mayBeComplete ? .complete : .skipped)
    case (.sending, .zrpos), (.ending, .zrpos): restart(at: header.number)
    case (.sending, .zack): acknowledge(header.number)
    case (.sending, .zrinit):
      // The receiver was restarted.
      adopt(header)
      withdraw()
      count()
      offerCount += 1
      if offerCount > ZmodemPatience.errors { side.fail(.tooManyErrors) }
      guard !side.isBreakingOff else { return }
      offer()
    case (.ending, .zrinit):
      makeProgress()
      endFile(.complete)
    case (.closing, .zfin):
      side.send(Array("OO".utf8))
      side.finish(outcome)
    case (.offering, .zfin), (.sending, .zfin), (.ending, .zfin): close(.failed(.cancelled))
    case (_, .znak):
      // The receiver has received the request, and found it damaged.
      if state != .sending, side.unsentCount == 0 { requestAtOnce() }
    case (.introducing, .zrinit), (.offering, .zrinit), (.closing, .zrinit):
      adopt(header)
      requestAgain()
    default: break
    }
  }

  /// Handles a damaged header of the receiver. Most probably it reports that data were damaged.
  private mutating func handleDamagedHeader() {
    switch state {
    case .sending where awaited == nil:
      count()
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
    bufferLength = header.bufferLength
    canStream =
      header.flags & Capability.fullDuplex != 0 && header.flags & Capability.overlapsStorage != 0
  }

  private mutating func handle(_ file: TransferredFile?) {
    guard state == .fetching else { return }
    guard let file else { return close(.done) }
    guard file.size ?? 0 <= Int(UInt32.max) else { return side.fail(.tooLarge) }
    self.file = file
    position = 0
    endPosition = file.size
    isShort = false
    mayBeComplete = false
    offerCount = 0
    packetLength = longestPacket
    progress.position = 0
    progressTime = side.now
    if encoder.escapesControls, !escapesByItself, !hasIntroduced {
      state = .introducing
      request()
    } else {
      offer()
    }
  }

  // MARK: Requests

  private mutating func offer() {
    hasIntroduced = true
    state = .offering
    request()
  }

  /// Sends the request of the present state.
  private mutating func request() {
    requestCount = 0
    errorCount = 0
    repeatRequest()
  }

  private mutating func repeatRequest() {
    requestCount += 1
    wantsAgain = false
    repeatInterval = ZmodemPatience.request
    switch state {
    case .new, .fetching: return
    case .inviting: side.send(ZmodemHeader(.zrqinit))
    case .introducing:
      // The receiver can read escaped bytes without ZSINIT.
      guard requestCount <= 2 else { return offer() }
      side.send(
        ZmodemEncoder.hex(
          ZmodemHeader(.zsinit, flags: ZmodemHeader.Capability.escapesControls)))
      var attention = ZmodemEncoder()
      attention.escapesControls = true
      attention.append([0], end: .waits)
      side.send(attention.flush())
    case .offering:
      guard let file else { return }
      cancelReading()
      encoder.append(ZmodemHeader(.zfile))
      encoder.append(FileHeader.encoded(file, rest: " 0") + [0], end: .waits)
      side.send(encoder.flush())
    case .sending where wasLost && requestCount % 3 == 0: side.send(ZmodemHeader(.zrqinit))
    case .sending: return probe()
    case .ending: side.send(encoded(ZmodemHeader(.zeof, position)))
    case .closing:
      repeatInterval = ZmodemPatience.farewell
      side.send(ZmodemHeader(.zfin))
    }
    requestTime = side.now
    schedule()
  }

  private func encoded(_ header: ZmodemHeader) -> [UInt8] {
    var encoder = encoder
    encoder.append(header)
    return encoder.flush()
  }

  /// Handles a repeated request of the receiver.
  private mutating func requestAgain() {
    guard state != .sending else { return }
    guard let againTime, side.now >= againTime else {
      wantsAgain = true
      wantsRestart = false
      return
    }
    requestAtOnce()
  }

  private mutating func requestAtOnce() {
    count()
    guard !side.isBreakingOff else { return }
    repeatRequest()
  }

  /// The time at which the receiver must have received the last bytes, and its answer must have arrived; nil until
  /// the port has taken the bytes.
  private var againTime: Duration? {
    if side.unsentCount == 0 { return max(requestTime, side.carriedTime) + roundTrip * 2 }
    return state == .sending && awaited == nil ? requestTime + roundTrip * 2 : nil
  }

  private mutating func schedule() { repeatTime = side.time(for: repeatInterval) }

  /// Records an event that advances the transfer.
  private mutating func makeProgress() {
    progressTime = side.now
    errorCount = 0
    wantsAgain = false
  }

  private mutating func withdraw() {
    side.withdraw()
    dataEnd = min(dataEnd, side.sentCount)
    marks = []
  }

  /// Counts an error.
  private mutating func count() {
    retryCount += 1
    errorCount += 1
    if errorCount > ZmodemPatience.errors {
      side.fail(.tooManyErrors)
    } else {
      progressTime = side.now
    }
  }

  private mutating func close(_ end: TransferEnd) {
    withdraw()
    cancelReading()
    outcome = isShort ? .failed(.tooShort) : end
    state = .closing
    request()
  }

  private mutating func endFile(_ end: FileEnd) {
    cancelReading()
    side.perform(.endFile(end))
    guard !isShort else { return close(.failed(.tooShort)) }
    state = .fetching
    side.perform(.nextFile)
  }

  // MARK: Time

  private var wakeTime: Duration? {
    guard !side.isLost, state != .new, state != .fetching else { return nil }
    var time =
      isAnswered
      ? progressTime + side.conditions.silencePatience : startTime + side.conditions.startPatience
    if let repeatTime, isWaiting { time = min(time, repeatTime) }
    if wantsAgain, let againTime { time = min(time, againTime) }
    if continuesReading { time = side.now }
    return time
  }

  /// Whether the sender waits for an answer.
  private var isWaiting: Bool {
    state != .sending || awaited != nil || window.map { position - acknowledged >= $0 } ?? false
  }

  private mutating func wake() {
    guard !side.isLost else { return }
    if continuesReading {
      continuesReading = false
      return readForSum()
    }
    if !isAnswered, side.now >= startTime + side.conditions.startPatience {
      return side.fail(.noAnswer)
    }
    if isAnswered, state != .fetching, side.now >= progressTime + side.conditions.silencePatience {
      return state == .closing ? side.finish(outcome) : side.fail(.timedOut)
    }
    if wantsAgain, let againTime, side.now >= againTime {
      wantsAgain = false
      count()
      guard !side.isBreakingOff else { return }
      if state == .sending || wantsRestart {
        return start(at: restartPosition, isResuming: true)
      }
      return repeatRequest()
    }
    if isWaiting, let repeatTime, side.now >= repeatTime {
      guard state != .closing || requestCount < ZmodemPatience.farewells else {
        return side.finish(outcome)
      }
      repeatRequest()
    }
  }

  // MARK: Reading

  private mutating func cancelReading() {
    if reading != nil { reading = .obsolete }
    continuesReading = false
  }

  private mutating func read(_ purpose: Reading, at offset: Int, count: Int) {
    reading = purpose
    side.perform(.read(at: offset, count: count))
  }

  private mutating func handle(read bytes: [UInt8]) {
    let purpose = reading
    reading = nil
    switch purpose {
    case .data(let wanted): sendData(bytes, wanted: wanted)
    case .checksum: sum(bytes)
    case .obsolete, .none: pump()
    }
  }

  /// Computes the CRC-32 of the first bytes of the file for the receiver; 0 stands for the whole file.
  private mutating func sum(_ count: Int) {
    guard reading == nil, !continuesReading else { return }
    progressTime = side.now
    reader = (0, count == 0 ? file?.size ?? Int(UInt32.max) : count, CRC32())
    readForSum()
  }

  private mutating func readForSum() {
    progressTime = side.now
    read(.checksum, at: reader.offset, count: min(reader.end - reader.offset, 65_536))
  }

  private mutating func sum(_ bytes: [UInt8]) {
    reader.crc.update(with: bytes)
    reader.offset += bytes.count
    if !bytes.isEmpty, reader.offset < reader.end {
      // A long file must not keep the driver from handling other events.
      if reader.offset % (1 << 20) == 0 { continuesReading = true } else { readForSum() }
    } else {
      side.send(ZmodemHeader(.zcrc, Int(reader.crc.value)))
      requestTime = side.now
      schedule()
    }
  }

  // MARK: Data

  /// Whether a position is in the file.
  private func isPossible(_ position: Int) -> Bool { position <= endPosition ?? .max }

  /// Starts to send at a position.
  private mutating func start(at position: Int, isResuming: Bool) {
    withdraw()
    self.isResuming = isResuming
    state = .sending
    self.position = position
    acknowledged = position
    awaited = nil
    wantsAgain = false
    hasFrame = false
    progress.position = position
    restartPosition = position
    requestTime = side.now
    hasRoom = true
    cancelReading()
    pump()
  }

  /// Starts again at the position that the receiver requests.
  private mutating func restart(at position: Int) {
    guard isPossible(position) else { return }
    if position == restartPosition, againTime.map({ side.now < $0 }) ?? true {
      wantsAgain = true
      wantsRestart = true
      return
    }
    if position > restartPosition { errorCount = 0 }
    count()
    guard !side.isBreakingOff else { return }
    if wasLost {
      wasLost = false
      side.perform(.say(.resumed(at: position)))
    }
    mayBeComplete = false
    packetLength = max(packetLength / 2, 64)
    goodCount = 0
    start(at: position, isResuming: true)
  }

  /// - Parameter isLonger: whether the result may be longer than the present value. A person may answer an offer,
  ///   which takes time.
  private mutating func measureRoundTrip(isLonger: Bool) {
    guard side.unsentCount == 0 else { return }
    let time = max(side.now - max(requestTime, side.carriedTime), .milliseconds(25))
    roundTrip = isLonger ? time : min(time, roundTrip)
  }

  private mutating func acknowledge(_ number: Int) {
    guard number <= position, number >= acknowledged else { return }
    if number > acknowledged || number == awaited { makeProgress() }
    acknowledged = number
    if number == awaited {
      measureRoundTrip(isLonger: true)
      awaited = nil
      hasFrame = false
      if wasLost {
        wasLost = false
        side.perform(.say(.resumed(at: number)))
      }
      if number == endPosition {
        state = .ending
        return request()
      }
    }
    pump()
  }

  /// Asks for the position of the receiver: sends an empty frame at the present position, which the receiver
  /// acknowledges, or answers with the position that it needs.
  private mutating func probe() {
    cancelReading()
    encoder.append(raw: [ZmodemCharacter.pad])
    encoder.append(ZmodemHeader(.zdata, position))
    encoder.append([], end: .waits)
    side.send(encoder.flush())
    hasFrame = false
    awaited = position
    acknowledged = min(acknowledged, position)
    repeatInterval = ZmodemPatience.data
    requestTime = side.now
    schedule()
  }

  /// The maximum number of queued bytes. They are withdrawn when the receiver requests another position.
  private let queueLength = 16_384

  /// Reads the next data, if they may be sent now.
  private mutating func pump() {
    guard state == .sending, !side.isLost, reading == nil, awaited == nil else { return }
    guard hasRoom else {
      if !awaitsRoom {
        awaitsRoom = true
        side.perform(.awaitRoom(below: queueLength))
      }
      return
    }
    var count = max(queueLength / packetLength, 1) * packetLength
    if isResuming { count = packetLength }
    if let segmentLength {
      count = min(count, segmentLength - (hasFrame ? position - frameStart : 0))
    }
    if let window {
      // An acknowledgement will make room.
      guard position - acknowledged < window else { return }
      count = min(count, window - (position - acknowledged), max(window / 4, 64))
    }
    if let endPosition { count = min(count, endPosition - position) }
    hasRoom = false
    guard count > 0 else { return sendData([], wanted: 0) }
    read(.data(wanted: count), at: position, count: count)
  }

  /// The maximum number of bytes in a frame; nil for no limit.
  private var segmentLength: Int? {
    bufferLength > 0 ? max(bufferLength, 32) : canStream ? nil : longestPacket
  }

  private mutating func sendData(_ bytes: [UInt8], wanted: Int) {
    guard state == .sending else { return }
    if bytes.count < wanted {
      isShort = file?.size != nil
      endPosition = position + bytes.count
    }
    let isLast = position + bytes.count == endPosition
    encoder.reserve(bytes.count)
    if !hasFrame {
      // Two pads, because the first one is lost if the withdrawn bytes ended with ZDLE.
      encoder.append(raw: [ZmodemCharacter.pad])
      encoder.append(ZmodemHeader(.zdata, position))
      hasFrame = true
      frameStart = position
    }
    let frameIsFull = segmentLength.map { position + bytes.count - frameStart >= $0 } ?? false
    bytes.withUnsafeBytes { data in
      var offset = 0
      repeat {
        let count = min(packetLength, data.count - offset)
        let end: ZmodemEnd
        if offset + count < data.count {
          end = .continues
        } else if isLast || isResuming || frameIsFull {
          end = .waits
        } else {
          end = window == nil ? .continues : .acknowledged
        }
        encoder.append(UnsafeRawBufferPointer(rebasing: data[offset..<(offset + count)]), end: end)
        offset += count
        goodCount += 1
      } while offset < data.count
    }
    position += bytes.count
    if isLast || isResuming || frameIsFull {
      awaited = position
      requestTime = side.now
    }
    isResuming = false
    if goodCount >= 16, packetLength < longestPacket {
      goodCount = 0
      packetLength *= 2
    }
    repeatInterval = ZmodemPatience.data
    side.send(encoder.flush())
    dataEnd = side.sentCount
    marks.append((side.sentCount, position))
    schedule()
    pump()
  }

  // MARK: Progress

  private mutating func reportProgress() {
    guard !side.hasFinished else { return }
    let taken = side.sentCount - side.unsentCount
    progress.retries = retryCount
    if let done = marks.lastIndex(where: { $0.sent <= taken }) {
      progress.position = marks[done].position
      marks.removeFirst(done + 1)
    }
    guard progress != reported else { return }
    reported = progress
    side.perform(.progress(progress))
  }

  // MARK: The port

  private mutating func handleLoss() {
    side.portWasLost()
    decoder.reset()
    marks = []
    dataEnd = min(dataEnd, side.sentCount)
    awaitsRoom = false
    wantsAgain = false
    if state == .closing { side.finish(outcome) }
  }

  private mutating func handleReturn() {
    side.portIsBack()
    progressTime = side.now
    startTime = side.now
    switch state {
    case .sending, .ending:
      wasLost = true
      mayBeComplete = state == .ending
      state = .sending
      requestCount = 0
      cancelReading()
      probe()
    case .new, .fetching: break
    default: request()
    }
  }
}
