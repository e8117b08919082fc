import Framing
import Glibc
import TestSupport
import TransferProtocols

/// A file of a test: its description and its contents, which may be computed.
struct BenchFile {
  var info: TransferredFile
  var bytes: (Range<Int>) -> [UInt8]

  init(_ name: String, _ contents: [UInt8], modified: Int? = 1_700_000_000) {
    info = TransferredFile(
      name: Array(name.utf8), size: contents.count, modificationTime: modified, mode: 0o100644)
    bytes = { Array(contents[$0]) }
  }

  /// A file whose contents are computed.
  init(_ name: String, size: Int, bytes: @escaping (Range<Int>) -> [UInt8]) {
    info = TransferredFile(name: Array(name.utf8), size: size)
    self.bytes = bytes
  }
}

/// Two sides of a transfer and the line between them, in simulated time.
///
/// The line carries bytes at a rate, in pieces. It can damage them.
final class TransferBench {
  /// A file that a receiver has received.
  struct Received: Equatable {
    var info: TransferredFile
    var contents: [UInt8] = []
    var end: FileEnd?
    /// The number of all received bytes, including those that are not kept.
    var count = 0
  }

  /// One side.
  final class Side {
    var machine: any TransferMachine
    /// The files that it sends.
    var files: [BenchFile] = []
    /// The files that it received.
    var received: [Received] = []
    /// The partial files from earlier transfers, by name.
    var partials: [[UInt8]: [UInt8]] = [:]
    /// The names that it declines.
    var declined: Set<[UInt8]> = []
    /// Whether the contents of received files are kept.
    var keepsContents = true
    /// The end; nil while the transfer continues.
    var end: TransferEnd?
    var remarks: [TransferRemark] = []
    var progress = TransferProgress()
    /// The received bytes that are not part of the transfer.
    var passed: [UInt8] = []
    /// The ends of the files that it sent.
    var fileEnds: [FileEnd] = []
    /// The bytes of the other side, as they arrived.
    var arrived: [UInt8] = []
    /// Whether ``arrived`` is kept.
    var keepsArrived = false

    fileprivate var queue: [UInt8] = []
    fileprivate var inFlight: [UInt8] = []
    fileprivate var isOnLine = false
    fileprivate var roomLevel: Int?
    fileprivate var wakeTime: Duration?
    fileprivate var present: BenchFile?
    fileprivate var nextFile = 0
    fileprivate var events: [TransferEvent] = []
    fileprivate var isHandling = false
    /// Whether it has lost its port.
    fileprivate(set) var isLost = false
    /// The maximum length of its queue.
    fileprivate(set) var largestQueue = 0

    init(_ machine: any TransferMachine) { self.machine = machine }
  }

  let sender: Side
  let receiver: Side
  private(set) var now = Duration.seconds(1_000)
  private let begin = Duration.seconds(1_000)
  /// The number of bytes per second that the line carries in each direction.
  var bytesPerSecond = 11_520
  /// The time from the end of sending to the arrival, in each direction.
  var latency = Duration.microseconds(500)
  /// The maximum number of bytes that arrive at once.
  var piece = 64
  /// Changes the bytes on the line. `fromSender` is the direction.
  var fault: (_ bytes: [UInt8], _ fromSender: Bool) -> [UInt8] = { bytes, _ in bytes }
  /// The maximum simulated time of a run.
  var limit = Duration.seconds(100_000)
  /// The maximum number of events, which ends a transfer without progress.
  var mostTurns = 1_000_000

  private enum Occasion {
    case transmitted(Side)
    case arrived([UInt8], at: Side)
    case call(() -> Void)
  }
  /// Sorted by time.
  private var agenda: [(time: Duration, occasion: Occasion)] = []

  init(_ sender: any TransferMachine, _ receiver: any TransferMachine, files: [BenchFile]) {
    self.sender = Side(sender)
    self.receiver = Side(receiver)
    self.sender.files = files
  }

  /// The time since the beginning.
  var elapsed: Duration { now - begin }

  /// Calls a closure at a time after the start.
  func at(_ time: Duration, _ call: @escaping () -> Void) { schedule(begin + time, .call(call)) }

  /// Passes an event to a side.
  func handle(_ side: Side, _ event: TransferEvent) {
    guard side.end == nil else { return }
    side.events.append(event)
    guard !side.isHandling else { return }
    side.isHandling = true
    while side.end == nil, !side.events.isEmpty {
      for action in side.machine.handle(side.events.removeFirst(), at: now) where side.end == nil {
        perform(action, side)
      }
    }
    side.isHandling = false
    transmit(side)
  }

  /// Sends bytes to a side as if the other one had sent them.
  func inject(_ bytes: [UInt8], to side: Side) { schedule(now, .arrived(bytes, at: side)) }

  /// Makes a side lose its port, and all bytes under way.
  func lose(_ side: Side) {
    side.isLost = true
    side.queue = []
    side.inFlight = []
    side.roomLevel = nil
    handle(side, .lost)
  }

  /// Gives a side its port back.
  func regain(_ side: Side) {
    side.isLost = false
    handle(side, .regained)
  }

  /// Restarts a side as another process, which knows only its files.
  func restart(_ side: Side, with machine: any TransferMachine) {
    side.machine = machine
    side.queue = []
    side.inFlight = []
    side.roomLevel = nil
    side.wakeTime = nil
    side.events = []
    side.nextFile = 0
    side.end = nil
    for received in side.received { side.partials[received.info.name] = received.contents }
    handle(side, .begun)
  }

  /// Runs until both sides have ended, nothing happens any more, or the limit is reached.
  ///
  /// - Parameters:
  ///   - senderBegins, receiverBegins: the starting times, relative to the beginning;
  ///     nil for never.
  func run(senderBegins: Duration? = .zero, receiverBegins: Duration? = .zero) {
    if let senderBegins { at(senderBegins) { [unowned self] in handle(sender, .begun) } }
    if let receiverBegins { at(receiverBegins) { [unowned self] in handle(receiver, .begun) } }
    var turns = 0
    while sender.end == nil || receiver.end == nil, turns < mostTurns {
      turns += 1
      let wake = nextWake
      if let next = agenda.first, wake.map({ next.time <= $0.time }) ?? true {
        agenda.removeFirst()
        now = max(now, next.time)
        guard now - begin < limit else { return }
        happen(next.occasion)
      } else if let (time, side) = wake {
        now = time
        guard now - begin < limit else { return }
        side.wakeTime = nil
        handle(side, .woken)
      } else {
        return
      }
    }
  }

  /// The side that wakes first, and when.
  private var nextWake: (time: Duration, side: Side)? {
    var next: (time: Duration, side: Side)?
    for side in [sender, receiver] where side.end == nil {
      guard let wakeTime = side.wakeTime else { continue }
      let time = max(wakeTime, now)
      if next.map({ time < $0.time }) ?? true { next = (time, side) }
    }
    return next
  }

  private func happen(_ occasion: Occasion) {
    switch occasion {
    case .call(let call): call()
    case .transmitted(let side):
      side.isOnLine = false
      let bytes = side.inFlight
      side.inFlight = []
      guard !bytes.isEmpty else { return transmit(side) }
      let faulty = fault(bytes, side === sender)
      if !faulty.isEmpty {
        schedule(now + latency, .arrived(faulty, at: side === sender ? receiver : sender))
      }
      handle(side, .sent(bytes.count))
      giveRoom(side)
      transmit(side)
    case .arrived(let bytes, let side):
      guard !side.isLost else { return }
      if side.keepsArrived { side.arrived += bytes }
      handle(side, .received(bytes))
    }
  }

  private func schedule(_ time: Duration, _ occasion: Occasion) {
    // What is at the same time happens in the order of the calls.
    var place = agenda.count
    while place > 0, agenda[place - 1].time > time { place -= 1 }
    agenda.insert((time, occasion), at: place)
  }

  /// Transmits the next bytes of a side.
  private func transmit(_ side: Side) {
    guard !side.isOnLine, !side.queue.isEmpty else { return }
    let count = min(piece, side.queue.count)
    side.inFlight = Array(side.queue.prefix(count))
    side.queue.removeFirst(count)
    side.isOnLine = true
    schedule(now + .seconds(1) * count / bytesPerSecond, .transmitted(side))
  }

  private func giveRoom(_ side: Side) {
    guard let level = side.roomLevel, side.queue.count + side.inFlight.count < level else { return }
    side.roomLevel = nil
    handle(side, .room)
  }

  private func perform(_ action: TransferAction, _ side: Side) {
    switch action {
    case .send(let bytes):
      side.queue += bytes
      side.largestQueue = max(side.largestQueue, side.queue.count)
    case .withdraw: side.queue = []
    case .awaitRoom(let level):
      if side.queue.count + side.inFlight.count < level {
        side.events.append(.room)
      } else {
        side.roomLevel = level
      }
    case .nextFile:
      side.present = side.nextFile < side.files.count ? side.files[side.nextFile] : nil
      side.nextFile += 1
      side.events.append(.file(side.present?.info))
    case .read(let offset, let count):
      let size = side.present?.info.size ?? 0
      let start = min(offset, size)
      side.events.append(.read(side.present?.bytes(start..<min(start + count, size)) ?? []))
    case .offer(let file):
      if side.declined.contains(file.name) {
        side.events.append(.declined)
      } else {
        side.received.append(Received(info: file))
        side.events.append(.accepted(partialCount: side.partials[file.name]?.count ?? 0))
      }
    case .checksum(let count):
      let partial = side.received.last.flatMap { side.partials[$0.info.name] }
      side.events.append(.checksum(partial.map { CRC32(of: $0.prefix(count)).value }))
    case .resume(let offset):
      guard let last = side.received.indices.last else { return }
      side.received[last].contents =
        side.partials[side.received[last].info.name].map { Array($0.prefix(offset)) } ?? []
      side.received[last].count = offset
    case .write(let bytes):
      guard let last = side.received.indices.last else { return }
      if side.keepsContents { side.received[last].contents += bytes }
      side.received[last].count += bytes.count
    case .endFile(let end):
      if side === receiver, let last = side.received.indices.last {
        side.received[last].end = end
      } else {
        side.fileEnds.append(end)
      }
    case .wake(let time): side.wakeTime = time
    case .progress(let progress): side.progress = progress
    case .pass(let bytes): side.passed += bytes
    case .say(let remark): side.remarks.append(remark)
    case .finish(let end): side.end = end
    }
  }
}

/// A fault that damages bytes and loses some, each with a probability.
///
/// It draws the distances between the faults: a random number for each byte would take most of the
/// time of the tests.
func noise(
  seed: UInt64, corrupting corruption: Double, dropping loss: Double
) -> ([UInt8], Bool) -> [UInt8] {
  var random = SplitMix64(seed: seed)
  let rate = corruption + loss
  func distance() -> Int {
    guard rate > 0 else { return .max }
    return Int(log(1 - Double.random(in: 0..<1, using: &random)) / log(1 - rate))
  }
  var next = distance()
  return { bytes, _ in
    var result: [UInt8] = []
    var rest = bytes[...]
    while next < rest.count {
      result += rest.prefix(next)
      rest = rest.dropFirst(next)
      let byte = rest.removeFirst()
      if Double.random(in: 0..<rate, using: &random) >= loss {
        result.append(byte ^ UInt8.random(in: 1...255, using: &random))
      }
      next = distance()
    }
    next -= rest.count
    return result.isEmpty && rest.count == bytes.count ? bytes : result + rest
  }
}

/// Random bytes from a seed.
func randomBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SplitMix64(seed: seed)
  var words: [UInt64] = []
  while words.count * 8 < count { words.append(random.next()) }
  return words.withUnsafeBytes { Array($0.prefix(count)) }
}
