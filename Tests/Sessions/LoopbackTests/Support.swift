import EventLoop
import Glibc
import Posix
import SystemPackage
import Testing
import Time

@testable import Loopback

/// Runs turns until a condition is met. A deadline, not a sleep, ends a test that hangs.
func run(
  _ loop: IOLoop, until condition: () throws -> Bool,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let deadline = MonotonicTime.now + .seconds(60)
  while try !condition() {
    guard MonotonicTime.now < deadline else {
      Issue.record("nothing came within 60 s", sourceLocation: sourceLocation)
      return
    }
    try loop.turn(waitingAtMost: .milliseconds(100))
  }
}

/// Runs turns until several in a row have waited for their full time: nothing wakes the loop.
func runUntilIdle(
  _ loop: IOLoop, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let limit = Duration.milliseconds(20)
  var idleTurns = 0
  try run(
    loop,
    until: {
      let start = MonotonicTime.now
      try loop.turn(waitingAtMost: limit)
      idleTurns = MonotonicTime.now - start >= limit ? idleTurns + 1 : 0
      return idleTurns == 3
    }, sourceLocation: sourceLocation)
}

/// A program that has a node open, driven by the same loop. It writes as fast as it can, and reads
/// when it is allowed to.
final class Client {
  /// The received bytes.
  private(set) var received: [UInt8] = []
  /// The bytes that were not written yet.
  private(set) var unsent: ArraySlice<UInt8> = []
  /// Whether a read has reported that the device is gone.
  private(set) var hasEnded = false
  /// The sizes of the reads.
  var readSizes = [65_536]

  let path: FilePath

  private let file: OwnedDescriptor
  private var watch: DescriptorWatch?
  private var isReading = true
  private var readCount = 0

  init(
    _ path: FilePath, _ flags: CInt = O_RDWR, on loop: IOLoop, isReading: Bool = true
  ) throws {
    self.path = path
    file = try OwnedDescriptor.open(path, flags | O_NOCTTY | O_NONBLOCK)
    self.isReading = isReading
    watch = try loop.watch(file.borrowed, for: interest) { [weak self] in self?.handle($0) }
  }

  deinit { watch?.cancel() }

  var descriptor: CInt { file.borrowed.rawValue }
  var receivedText: String { String(decoding: received, as: UTF8.self) }

  /// Whether a ``Board`` waits for a command.
  var endsAtPrompt: Bool { received.suffix(7).elementsEqual("board> ".utf8) }

  func send(_ bytes: some Sequence<UInt8>) throws {
    unsent += bytes
    watch?.setInterest(interest)
  }

  func send(_ text: String) throws { try send(text.utf8) }

  func setReading(_ isReading: Bool) throws {
    self.isReading = isReading
    watch?.setInterest(interest)
  }

  func forgetReceived() { received = [] }

  private var interest: Interest {
    if hasEnded { return [] }
    return (isReading ? Interest.reading : []).union(unsent.isEmpty ? [] : .writing)
  }

  private func handle(_ readiness: Readiness) {
    do {
      if readiness.contains(.writable) && !unsent.isEmpty { try write() }
      if isReading && !readiness.isDisjoint(with: [.readable, .hungUp]) { try read() }
      watch?.setInterest(interest)
    } catch {
      hasEnded = true
      watch?.cancel()
    }
  }

  private func write() throws {
    let outcome = try unsent.withUnsafeBytes { try file.borrowed.writeAvailable($0) }
    if case .bytes(let count) = outcome { unsent.removeFirst(count) }
  }

  /// Reads many times per turn, so that small reads do not take too long.
  private func read() throws {
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    var count = 0
    defer {
      received.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
      scratch.deallocate()
    }
    while count < scratch.count {
      let size = readSizes[readCount % readSizes.count]
      readCount += 1
      let space = scratch[count..<min(count + size, scratch.count)]
      switch try file.borrowed.readAvailable(into: .init(rebasing: space)) {
      case .bytes(let read): count += read
      case .wouldBlock: return
      case .endOfFile: throw Errno.ioError
      }
    }
  }

  // MARK: Settings

  /// Requests that no other program can open the terminal.
  func makeExclusive() { #expect(ioctl(descriptor, UInt(TIOCEXCL), 0 as CInt) == 0) }

  var attributes: termios {
    get {
      var attributes = termios()
      #expect(tcgetattr(descriptor, &attributes) == 0)
      return attributes
    }
    set {
      var attributes = newValue
      #expect(tcsetattr(descriptor, TCSANOW, &attributes) == 0)
    }
  }

  /// Sets the mode of a terminal at a login: lines, echo, signals.
  func makeCooked() {
    attributes.c_lflag |= tcflag_t(ICANON | ECHO | ISIG)
    attributes.c_iflag |= tcflag_t(ICRNL | IXON)
    attributes.c_oflag |= tcflag_t(OPOST)
  }

  /// Whether bytes pass as they are, without echo, at 115200 8N1.
  var isRaw: Bool {
    let now = attributes
    let framing = tcflag_t(CSIZE | PARENB | CSTOPB)
    return now.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0
      && now.c_iflag & tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON) == 0
      && now.c_oflag & tcflag_t(OPOST) == 0
      && now.c_cflag & framing == tcflag_t(CS8)
      && cfgetospeed(&attributes) == speed_t(B115200)
  }
}

/// Bytes that repeat after no round number, so that a piece that is lost or twice there shows.
func pattern(_ count: Int) -> [UInt8] {
  var random = SplitMix64(seed: 42)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}
