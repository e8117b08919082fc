import EventLoop
import Logs
import Loopback
import Posix
import SystemPackage
import TextStages
import TextTools
import Time

/// Plays the received bytes of a log to a program that opens a pseudo-terminal, with the timing
/// of the log.
///
/// Playing starts a moment after a program opens the node. A slow reader delays it, and nothing
/// is lost. It ends when everything was read, or when the reader closes the node after the last
/// byte was played.
final class Replayer {
  /// The outcome; nil while it plays.
  private(set) var outcome: Result<ExitStatus, Failure>?

  /// The time for a program to configure the line after it opened the node. Most programs flush the
  /// line then, which would discard bytes played before.
  private static let settlingTime = Duration.milliseconds(200)
  /// The interval of checks whether everything was read: a flush causes no event.
  private static let checkInterval = Duration.milliseconds(50)
  /// The number of entries that are read from the log before other events are handled.
  private static let entriesPerTurn = 64
  /// The number of entries that are read before the node is announced, to find the port or the
  /// names of all ports.
  private static let entriesOfSearch = 10_000

  /// The advice about a file that is not such a log.
  private static let playable =
    "A log in \(LogFormat.playable.alternatives(\.title)) can be played; "
    + "'connect TARGET --log board.jsonl' records one."

  private let file: FilePath
  /// The port to play; nil for a log of one port.
  private let port: String?
  private let speed: Double
  private let repeats: Bool
  private let loop: IOLoop
  private let terminal: PseudoTerminal
  private var watch: DescriptorWatch?
  private var clients: ClientWatch?
  private var timer: LoopTimer?

  private var reader: LogReader
  /// Watches the log if it is a pipe without available data.
  private var logWatch: DescriptorWatch?
  /// The next entry to play; nil before it was read from the log.
  private var entry: LogEntry?
  /// The number of its bytes that were played.
  private var playedCount = 0
  /// Whether the log contains any entries to play.
  private var hasEntries = false
  /// The direction of the entries to play.
  private var direction = Direction.fromDevice
  /// Whether the port has entries in the other direction.
  private var hasOthers = false
  /// The time when the first entry was played, and the time of that entry.
  private var beginning: (now: MonotonicTime, logged: Int64)?
  private var phase = Phase.waiting
  /// The outcome when everything was read.
  private var verdict = Result<ExitStatus, Failure>.success(.done)
  private var hasReader = false
  private var isReaderGone = false

  private enum Phase {
    /// No program has opened the node.
    case waiting
    /// A program has opened the node, and may be configuring the line.
    case settling
    case playing
    /// Everything was played, and not everything was read.
    case draining
    case over
  }

  /// Opens the log and creates the pseudo-terminal.
  ///
  /// - Parameters:
  ///   - file: a log with times; a regular file or a pipe.
  ///   - port: the name of the port to play; nil for the only one.
  ///   - speed: the factor of the pace; positive.
  ///   - repeats: whether to start again at the end.
  /// - Throws: ``Failure``, or the error of creating the pseudo-terminal.
  init(
    _ file: FilePath, port: String?, speed: Double, repeats: Bool, on loop: IOLoop
  ) throws {
    self.file = file
    self.port = port
    self.speed = speed
    self.repeats = repeats
    self.loop = loop
    do throws(LogReadingError) {
      reader = try LogReader(file)
    } catch {
      throw Failure(.usage, "\(file)\(error).")
    }
    terminal = try PseudoTerminal()
    // A file that is not a log, or does not contain the port, is detected before the
    // node is announced.
    findFirstEntry()
    try playSideOfLineIfNeeded()
    if case .failure(let failure) = verdict { throw failure }
    watch = try loop.watch(terminal.descriptor, for: .reading) { [unowned self] in
      // Bytes from clients get no answer.
      if $0.contains(.readable) { discardSent() }
      play()
    }
    clients = try ClientWatch(terminal.path, on: loop) { [unowned self] in handle($0) }
  }

  deinit { logWatch?.cancel() }

  /// The node that clients open.
  var path: FilePath { terminal.path }

  // MARK: The log

  private enum Taken {
    /// The next entry may be playable now.
    case some
    /// The log is a pipe, and has no data yet.
    case waiting
    case end
  }

  private func findFirstEntry() {
    for _ in 0..<Self.entriesOfSearch {
      guard entry == nil, case .some = takeEntry() else { break }
    }
  }

  /// Plays what the port received if all of it went to the device, as on one side of a tap. A pipe
  /// cannot be read again.
  private func playSideOfLineIfNeeded() throws {
    guard port != nil, entry == nil, hasOthers, case .success = verdict,
      (try? reader.descriptor.stat().type) == .regular
    else { return }
    direction = .toDevice
    reader = try LogReader(file)
    findFirstEntry()
  }

  /// Reads the next entry of the log.
  private func takeEntry() -> Taken {
    do throws(LogReadingError) {
      let reading = try reader.next()
      if port == nil && reader.ports.count > 1 { return refuse("a log of several ports") }
      switch reading {
      case .entry(let next):
        // Skips the other direction, and other ports.
        guard port == nil || next.port == port else { return .some }
        guard next.direction == direction else {
          hasOthers = true
          return .some
        }
        entry = next
        hasEntries = true
        if beginning == nil { startClock() }
        return .some
      case .waiting: return .waiting
      case .end:
        if let port, !reader.ports.contains(port) { return refuse("no port '\(port.harmless)'") }
        guard repeats, hasEntries else { return .end }
        reader = try LogReader(file)
        hasEntries = false
        beginning = nil
        return takeEntry()
      }
    } catch {
      // The entries before the error are valid, and are played first.
      let isAtBeginning = [nil, .line(1), .offset(0)].contains(error.place)
      let advice = isAtBeginning ? " \(Self.playable)" : ""
      verdict = .failure(Failure(.usage, "\(file)\(error).\(advice)"))
      return .end
    }
  }

  /// Ends with a usage error, because the port is ambiguous.
  private func refuse(_ problem: String) -> Taken {
    for _ in 0..<Self.entriesOfSearch {
      guard case .entry? = try? reader.next() else { break }
    }
    let ports = reader.ports.map(\.harmless)
    let advice =
      ports.isEmpty
      ? "The log names no ports; leave --port out."
      : "Choose one with --port: \(ports.joined(separator: ", "))."
    verdict = .failure(Failure(.usage, "\(file): \(problem). \(advice)"))
    return .end
  }

  /// Continues when the log's pipe has more data.
  private func awaitLog() {
    do throws(Errno) {
      logWatch = try loop.watch(reader.descriptor, for: .reading) { [unowned self] _ in
        logWatch?.cancel()
        logWatch = nil
        play()
      }
    } catch {
      end(.failure(Failure(.otherFailure, "\(file): cannot be watched (\(error)).")))
    }
  }

  // MARK: Clients

  private func handle(_ event: ClientWatch.Event) {
    switch event {
    case .opened:
      isReaderGone = false
      if phase == .waiting {
        phase = .settling
        timer = loop.schedule(after: Self.settlingTime) { [unowned self] in begin() }
      }
    case .read: hasReader = true
    // A program that only configured the line, such as stty(1), was not a reader.
    case .closed:
      isReaderGone = hasReader
      endIfRead(seemedRead: false)
    }
  }

  private func discardSent() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      // Bounded, because a client may write without end. The rest keeps the descriptor readable.
      for _ in 0..<16 {
        guard case .bytes? = try? terminal.read(into: buffer) else { break }
      }
    }
  }

  // MARK: Playing

  private func begin() {
    phase = .playing
    startClock()
    play()
  }

  /// Makes the present entry due now. Later entries keep their distance to it.
  private func startClock() { beginning = entry.map { (.now, $0.steadyTime) } }

  /// Plays the entries that are due, while there is room.
  private func play() {
    guard phase == .playing, logWatch == nil else { return }
    for _ in 0..<Self.entriesPerTurn {
      if entry == nil {
        switch takeEntry() {
        case .some: break
        case .waiting:
          want(.reading)
          return awaitLog()
        case .end: return finishPlaying()
        }
      }
      guard let entry else { continue }
      let delay = delay(of: entry)
      if playedCount == 0, delay > .zero {
        timer = loop.schedule(after: delay) { [unowned self] in play() }
        return want(.reading)
      }
      guard write(entry) else { return }
      self.entry = nil
      playedCount = 0
    }
    timer = loop.schedule(after: .zero) { [unowned self] in play() }
  }

  private func finishPlaying() {
    phase = .draining
    want(.reading)
    endIfRead(seemedRead: false)
  }

  /// The time until an entry is due.
  private func delay(of entry: LogEntry) -> Duration {
    guard let beginning else { return .zero }
    // If the clock was set back, and the log does not mark it, entries are due immediately.
    let logged = max(0, entry.steadyTime.subtractingClamped(beginning.logged))
    let wait = min(Double(logged) / speed, Double(Int64.max / 2))
    return beginning.now + .nanoseconds(Int64(wait)) - .now
  }

  /// - Returns: whether all bytes of the entry were written.
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
      end(.failure(Failure(.otherFailure, "The pseudo-terminal cannot be written: \(error).")))
    }
    return false
  }

  private func want(_ interest: Interest) {
    watch?.setInterest(interest)
  }

  // MARK: The end

  /// - Parameter seemedRead: whether nothing was unread at the previous check. One check is not
  ///   enough: in the middle of a read, nothing is unread for a moment although more is on its way.
  private func endIfRead(seemedRead: Bool) {
    guard phase == .draining else { return }
    let seemsRead = !terminal.hasUnreadBytes
    if isReaderGone || seemedRead && seemsRead { return end(verdict) }
    timer = loop.schedule(after: Self.checkInterval) { [unowned self] in
      endIfRead(seemedRead: seemsRead)
    }
  }

  private func end(_ outcome: Result<ExitStatus, Failure>) {
    guard phase != .over else { return }
    phase = .over
    entry = nil
    self.outcome = outcome
  }
}
