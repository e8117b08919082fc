/// Answers the actions of one side of a transfer, and checks that they are bounded.
struct TransferDriver<Machine: TransferMachine> {
  var machine: Machine
  var end: TransferEnd?
  var now = Duration.zero
  private var wakeTime: Duration?
  private var queued = 0
  private var room: Int?
  private(set) var isLost = false
  private var fileCount = 0
  var partialCount = 0

  init(_ machine: Machine) {
    self.machine = machine
  }

  /// The port is lost, or back.
  mutating func toggleLoss() {
    isLost.toggle()
    if isLost { (queued, room) = (0, nil) }
    handle(isLost ? .lost : .regained)
  }

  /// What happens besides received bytes: one of eight events.
  mutating func happen(_ number: UInt8, isRare: Bool) {
    switch number & 7 {
    case 0, 1: wake()
    case 2: acceptSent(300)
    case 3: acceptSent(.max)
    case 4: toggleLoss()
    case 5: partialCount += 1
    case 6: if isRare { handle(.stopped) } else { wake() }
    default: if isRare { handle(.storageFailed) } else { acceptSent(.max) }
    }
  }

  /// Nothing more comes: it ends after some time.
  mutating func runToItsEnd() {
    if isLost {
      isLost = false
      handle(.regained)
    }
    for _ in 0..<1_000 where end == nil {
      acceptSent(.max)
      wake()
    }
    precondition(end != nil, "it does not end")
  }

  mutating func receive(_ bytes: [UInt8]) {
    if !bytes.isEmpty, !isLost { handle(.received(bytes)) }
  }

  mutating func wake() {
    guard let wakeTime, !isLost else { return }
    now = max(now, wakeTime)
    self.wakeTime = nil
    handle(.woken)
  }

  mutating func acceptSent(_ most: Int) {
    let count = min(most, queued)
    guard count > 0 else { return }
    queued -= count
    handle(.sent(count))
    guard let room, queued < room else { return }
    self.room = nil
    handle(.room)
  }

  mutating func handle(_ event: TransferEvent) {
    var events = [event]
    var (sent, rounds) = (0, 0)
    while end == nil, !events.isEmpty {
      rounds += 1
      precondition(rounds < 100, "it goes round in circles")
      for action in machine.handle(events.removeFirst(), at: now) {
        precondition(end == nil, "an action after the end")
        switch action {
        case .send(let bytes):
          precondition(!isLost)
          sent += bytes.count
          queued += bytes.count
        case .withdraw: queued = 0
        case .awaitRoom(let level): if queued < level { events.append(.room) } else { room = level }
        case .nextFile:
          fileCount += 1
          events.append(
            .file(fileCount <= 2 ? TransferredFile(name: [0x61], size: 5_000) : nil))
        case .read(let offset, let count):
          precondition(offset >= 0 && count > 0)
          let left = max(5_000 - offset, 0)
          events.append(.read([UInt8](repeating: 0x18, count: min(count, left))))
        case .offer:
          events.append(
            partialCount & 3 == 3 ? .declined : .accepted(partialCount: partialCount))
        case .checksum: events.append(.checksum(UInt32(partialCount)))
        case .wake(let time): wakeTime = time
        case .finish(let end): self.end = end
        case .resume, .write, .endFile, .pass, .progress, .say: break
        }
      }
    }
    // Data for the queue, and no more than a header for each header that came.
    var limit = 150_000
    if case .received(let bytes) = event { limit += 4 * bytes.count }
    precondition(sent <= limit && queued <= 200_000, "it sends too much")
  }
}
