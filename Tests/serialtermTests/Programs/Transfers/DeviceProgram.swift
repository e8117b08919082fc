import Posix
import SerialCore
import Sessions
import TestSupport
import Time
import TransferProtocols

@testable import serialterm

/// A program on the device that sends or receives files: the other side of a protocol.
final class DeviceProgram {
  private let bench: InterfaceBench
  private var machine: any TransferMachine
  /// The files to send.
  var files: [(name: String, contents: [UInt8])] = []
  /// The received files.
  private(set) var received: [(info: TransferredFile, contents: [UInt8], isComplete: Bool)] = []
  private(set) var end: TransferEnd?
  private var present: [UInt8] = []
  private var nextFile = 0
  private var wakeTime: Duration?
  private var takenCount: Int
  private var output: [UInt8] = []
  private var events: [TransferEvent] = []

  init(_ machine: any TransferMachine, at bench: InterfaceBench) {
    self.machine = machine
    self.bench = bench
    takenCount = bench.sent.count
  }

  private var now: Duration { .nanoseconds(bench.clock.now.nanoseconds) }

  /// Starts the program.
  func begin(until isMet: () -> Bool = { false }) throws {
    handle(.begun)
    try exchange(until: isMet)
  }

  /// Passes bytes until both sides wait for a time, or until a condition is met.
  func exchange(until isMet: () -> Bool = { false }) throws {
    for _ in 0..<100_000 where !isMet() {
      if !output.isEmpty, bench.session.isOpen {
        let bytes = Array(output.prefix(4_096))
        output.removeFirst(bytes.count)
        bench.link?.incoming.append(FakeLink.Input(bytes))
        bench.session.handle(.readable)
        handle(.sent(bytes.count))
        handle(.room)
      }
      try bench.turn()
      // Bytes that were written while others were received wait for the driver.
      bench.session.handle(.writable)
      let sent = bench.sent
      if sent.count > takenCount {
        let bytes = Array(sent[takenCount...])
        takenCount = sent.count
        handle(.received(bytes))
      } else if output.isEmpty {
        return
      }
    }
  }

  /// Lets time pass in small steps, and handles the events meanwhile.
  func pass(_ time: Duration) throws {
    let end = now + time
    while now < end {
      try bench.pass(.milliseconds(50))
      if let wakeTime, wakeTime <= now {
        self.wakeTime = nil
        handle(.woken)
      }
      try exchange()
    }
  }

  /// Lets time pass until the transfer has ended on both sides, for at most a simulated minute.
  func finish() throws {
    let limit = now + .seconds(60)
    while now < limit, end == nil || bench.state.exchange != nil { try pass(.milliseconds(50)) }
  }

  private func handle(_ event: TransferEvent) {
    guard end == nil else { return }
    events.append(event)
    while !events.isEmpty, end == nil {
      for action in machine.handle(events.removeFirst(), at: now) where end == nil {
        perform(action)
      }
    }
  }

  private func perform(_ action: TransferAction) {
    switch action {
    case .send(let bytes): output += bytes
    case .withdraw: output = []
    case .awaitRoom(let level): if output.count < level { events.append(.room) }
    case .nextFile:
      guard nextFile < files.count else { return events.append(.file(nil)) }
      present = files[nextFile].contents
      events.append(
        .file(TransferredFile(name: Array(files[nextFile].name.utf8), size: present.count)))
      nextFile += 1
    case .read(let offset, let count):
      events.append(.read(Array(present.dropFirst(offset).prefix(count))))
    case .offer(let info):
      received.append((info, [], false))
      events.append(.accepted(partialCount: 0))
    case .checksum: events.append(.checksum(nil))
    case .write(let bytes): received[received.count - 1].contents += bytes
    case .endFile: if !received.isEmpty { received[received.count - 1].isComplete = true }
    case .wake(let time): wakeTime = time
    case .finish(let end): self.end = end
    case .resume, .progress, .say, .pass: break
    }
  }
}
