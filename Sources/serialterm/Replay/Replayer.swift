import EventLoop
import Logs
import Loopback
import Posix
import SystemPackage
import Views

/// Plays what a device sent, out of a log, to whoever opens a pseudo-terminal: at the pace at which it
/// came.
///
/// It begins a moment after a program opens the node. A reader that is slow holds it up, and nothing
/// is lost.
/// It is over when everything was read, or when who read it has closed the node after the last byte.
final class Replayer {
  /// Called once, when it is over.
  var onEnd: (Result<ExitStatus, Failure>) -> Void = { _ in }

  /// How long a program may take to set the line up when it has opened it: most flush it, and what was
  /// played by then would be gone.
  private static let settlingTime = Duration.milliseconds(200)
  /// How often it is looked whether everything was read: of a flush no event tells.
  private static let lookInterval = Duration.milliseconds(50)
  /// How many entries are played before whatever else is ready has its turn.
  private static let entriesPerTurn = 64

  private let file: FilePath
  private let speed: Double
  private let repeats: Bool
  private let loop: EventLoop
  private let terminal: PseudoTerminal
  private var watch: DescriptorWatch?
  private var clients: ClientWatch?
  private var timer: Timer?

  private var reader: LogReader
  /// What is due next.
  private var entry: LogEntry?
  /// How many of its bytes are played.
  private var playedCount = 0
  /// When the first entry was played, and when it was logged.
  private var beginning: (now: MonotonicTime, logged: UInt64)?
  private var phase = Phase.waiting
  /// How it will have ended, when everything was read.
  private var verdict = Result<ExitStatus, Failure>.success(.done)
  private var hasReader = false
  private var isReaderGone = false

  private enum Phase {
    /// For a program to open the node.
    case waiting
    /// For a program that has opened it to set the line up.
    case settling
    case playing
    /// Everything is played, and not all of it read.
    case draining
    case over
  }

  /// Opens the log and makes the pseudo-terminal.
  ///
  /// - Parameters:
  ///   - speed: how many times as fast as it was, above zero.
  ///   - repeats: whether to begin again at the end.
  /// - Throws: ``Failure``, or what the system says of the pseudo-terminal.
  init(_ file: FilePath, speed: Double, repeats: Bool, on loop: EventLoop) throws {
    self.file = file
    self.speed = speed
    self.repeats = repeats
    self.loop = loop
    do throws(LogReadingError) {
      reader = try LogReader(file)
      entry = try Self.nextReceived(of: reader)
    } catch {
      throw Failure(.usage, "\(file)\(error).")
    }
    terminal = try PseudoTerminal()
    watch = try loop.watch(terminal.descriptor, for: .reading) { [unowned self] in
      // What clients send has nobody to answer it.
      if $0.contains(.readable) { discardSent() }
      play()
    }
    clients = try ClientWatch(terminal.path, on: loop) { [unowned self] in take($0) }
  }

  /// The node that clients open.
  var path: FilePath { terminal.path }

  private static func nextReceived(of reader: LogReader) throws(LogReadingError) -> LogEntry? {
    while let entry = try reader.next() {
      if entry.direction == .fromDevice { return entry }
    }
    return nil
  }

  // MARK: Clients

  private func take(_ event: ClientWatch.Event) {
    switch event {
    case .opened:
      isReaderGone = false
      if phase == .waiting {
        phase = .settling
        timer = loop.schedule(after: Self.settlingTime) { [unowned self] in begin() }
      }
    case .read: hasReader = true
    // Who has only set the line up, as stty(1) does, was no reader.
    case .closed:
      isReaderGone = hasReader
      endIfRead(seemedRead: false)
    }
  }

  private func discardSent() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      while case .bytes? = try? terminal.read(into: buffer) {}
    }
  }

  // MARK: Playing

  private func begin() {
    phase = .playing
    startClock()
    play()
  }

  /// Has the next entry be due now, and the others at their distance from it.
  private func startClock() { beginning = entry.map { (.now, $0.time) } }

  /// Plays what is due, as far as there is room.
  private func play() {
    guard phase == .playing else { return }
    var playedEntries = 0
    while let entry {
      if playedEntries == Self.entriesPerTurn {
        timer = loop.schedule(after: .zero) { [unowned self] in play() }
        return
      }
      let delay = delay(of: entry)
      if playedCount == 0, delay > .zero {
        timer = loop.schedule(after: delay) { [unowned self] in play() }
        return want(.reading)
      }
      guard write(entry) else { return }
      advance()
      playedEntries += 1
    }
    guard phase == .playing else { return }
    phase = .draining
    want(.reading)
    endIfRead(seemedRead: false)
  }

  /// How long it is until an entry is due.
  private func delay(of entry: LogEntry) -> Duration {
    guard let beginning else { return .zero }
    // A clock that was set back meanwhile makes what follows due at once.
    let logged = entry.time > beginning.logged ? entry.time - beginning.logged : 0
    let wait = min(Double(logged) / speed, Double(Int64.max / 2))
    return beginning.now + .nanoseconds(Int64(wait)) - .now
  }

  /// - Returns: whether all of the entry's bytes are taken.
  private func write(_ entry: LogEntry) -> Bool {
    let result: Result<WriteOutcome, Errno> = entry.bytes[playedCount...].withUnsafeBytes { bytes in
      Result { () throws(Errno) in bytes.isEmpty ? .bytes(0) : try terminal.write(bytes) }
    }
    switch result {
    case .success(.bytes(let count)):
      playedCount += count
      if playedCount < entry.bytes.count { return write(entry) }
      return true
    case .success(.wouldBlock):
      want([.reading, .writing])
    case .failure(let error):
      end(.failure(Failure(.otherFailure, "the pseudo-terminal: \(error).")))
    }
    return false
  }

  private func advance() {
    playedCount = 0
    do throws(LogReadingError) {
      entry = try Self.nextReceived(of: reader)
      if entry == nil, repeats {
        reader = try LogReader(file)
        entry = try Self.nextReceived(of: reader)
        startClock()
      }
    } catch {
      // What stands before the place is good, and is read first.
      entry = nil
      verdict = .failure(Failure(.usage, "\(file)\(error)."))
    }
  }

  private func want(_ interest: Interest) {
    // It fails only when the kernel is out of memory; the next client's event tries again.
    _ = try? watch?.setInterest(interest)
  }

  // MARK: The end

  /// - Parameter seemedRead: whether nothing was unread when it was last looked. Once is not enough: in
  ///   the midst of a read nothing is unread for a moment, though more is on its way.
  private func endIfRead(seemedRead: Bool) {
    guard phase == .draining else { return }
    let seemsRead = !terminal.hasUnreadBytes
    if isReaderGone || seemedRead && seemsRead { return end(verdict) }
    timer = loop.schedule(after: Self.lookInterval) { [unowned self] in
      endIfRead(seemedRead: seemsRead)
    }
  }

  private func end(_ outcome: Result<ExitStatus, Failure>) {
    guard phase != .over else { return }
    phase = .over
    entry = nil
    onEnd(outcome)
  }
}
