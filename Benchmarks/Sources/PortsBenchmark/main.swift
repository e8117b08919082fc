// Measures the cost of 1, 8 and 64 sessions in one process and one thread: 64 MiB in all, spread
// over their ports. Every byte is compared. Exits with 1 if a byte is wrong or missing, or if 64
// ports cost more than 1.5 times the processor time of one.
import EventLoop
import Foundation
import Loopback
import SerialCore
import SystemPackage

let total = 64 << 20
/// The data that every port sends repeatedly; as long as a pseudo-terminal's buffer.
let block = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

/// Writes the same data to all ports, each as fast as it accepts them.
func speak(on masters: [CInt], count: Int) {
  var left = masters.map { _ in count }
  while left.contains(where: { $0 > 0 }) {
    var requests = zip(masters, left).map { master, left in
      pollfd(fd: left > 0 ? master : -1, events: Int16(POLLOUT), revents: 0)
    }
    poll(&requests, nfds_t(requests.count), -1)
    for index in masters.indices where requests[index].revents != 0 {
      let place = (count - left[index]) % block.count
      let size = min(block.count - place, left[index])
      let written = block[place...].withUnsafeBytes { write(masters[index], $0.baseAddress, size) }
      left[index] -= max(0, written)
    }
  }
}

/// A session, and the number of correct bytes that it received.
final class Listener {
  private(set) var count = 0
  private(set) var isRight = true
  private let terminal: PseudoTerminal
  private let session = Session(settings: LineSettings(), waitsForLostDevice: false)
  private var observation: AnyObject?
  private var watch: DescriptorWatch?

  init(on loop: IOLoop) throws {
    terminal = try PseudoTerminal()
    observation = session.observe(.received) { [unowned self] in take($0) }
    try session.open(.tty(terminal.path))
    guard let descriptor = session.descriptor else { return }
    watch = try loop.watch(descriptor, for: .reading) { [session] in
      session.handle($0)
    }
  }

  /// The other end.
  var master: CInt { terminal.descriptor.rawValue }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let place = count % block.count
      let size = min(block.count - place, rest.count)
      let isSame = block[place...].withUnsafeBytes {
        memcmp($0.baseAddress!, UnsafeRawBufferPointer(rebasing: rest).baseAddress!, size) == 0
      }
      isRight = isRight && isSame
      count += size
      rest = rest.dropFirst(size)
    }
  }
}

func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The processor seconds of the sessions' thread; nil if a byte was wrong.
func measure(_ portCount: Int) throws -> Double? {
  let loop = try IOLoop()
  let listeners = try (0..<portCount).map { _ in try Listener(on: loop) }
  let masters = listeners.map(\.master)
  let share = total / portCount
  let start = threadSeconds()
  let writer = Thread { speak(on: masters, count: share) }
  writer.start()
  let deadline = ContinuousClock.now + .seconds(60)
  while listeners.contains(where: { $0.count < share }), ContinuousClock.now < deadline {
    try loop.turn(waitingAtMost: .seconds(5))
  }
  let seconds = threadSeconds() - start
  while !writer.isFinished && ContinuousClock.now < deadline { usleep(1_000) }
  return listeners.allSatisfy { $0.isRight && $0.count == share } ? seconds : nil
}

func median(_ portCount: Int) throws -> Double? {
  let runs = try (0..<5).map { _ in try measure(portCount) }
  return runs.contains(nil) ? nil : runs.compactMap { $0 }.sorted()[2]
}

let counts = [1, 8, 64]
var costs: [Double] = []
for count in counts {
  guard let seconds = try median(count) else {
    print("\(count) ports: bytes were wrong or missing")
    exit(1)
  }
  costs.append(seconds)
  let perGigabyte = seconds / Double(total) * 1e9
  print(String(format: "%2d ports: %.2f s of processor time for a GB", count, perGigabyte))
}
let growth = costs[2] / costs[0]
print(String(format: "64 ports cost %.2f times what one does", growth))
exit(growth <= 1.5 ? 0 : 1)
