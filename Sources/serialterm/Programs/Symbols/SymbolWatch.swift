import EventLoop
import Observing
import Sessions
import Symbols
import TextStages
import Time

/// Finds addresses in what a port receives, and reports what is known about them.
///
/// It never holds the bytes up: an answer that is not known yet comes later. Answers come in the
/// order of their addresses.
final class SymbolWatch {
  /// What is known about an address.
  struct Answer {
    let note: SymbolNote
    /// The number of received bytes up to the end of the line that has the address;
    /// see ``receivedCount``.
    let end: Int
  }

  /// The answers.
  let answers = Observable<Answer>()
  /// What the firmware says about its ELF file, each once.
  let reports = Observable<BootReport>()
  /// This number of addresses was not looked up, because too many were waiting.
  let refusals = Observable<Int>()
  /// The number of bytes that were searched, including the present piece.
  private(set) var receivedCount = 0

  let sources: [SymbolSource]
  private let loop: IOLoop
  private var finder = AddressFinder()
  private var reader = LineReader()
  /// Whether the open line has text that was not searched.
  private var isUnsearched = false
  private var subscription: Hub.Subscription?
  /// The addresses of the open line that were looked up during a pause.
  private var early: [UInt64] = []
  private var seenReports: Set<BootReport> = []
  private var waiting: [Entry] = []
  /// The number of the first entry that waits.
  private var firstNumber = 0
  private var refusedCount = 0
  private var lastTime: MonotonicTime
  private var timer: LoopTimer?

  private struct Entry {
    let address: UInt64
    let source: SymbolSource
    let end: Int
    /// Nil while the answer is missing.
    var frames: [SourceFrame]?
  }

  /// The silence after which an unfinished line is searched.
  static let pause = Duration.milliseconds(200)
  /// The number of answers that wait for earlier ones.
  private static let mostWaiting = 512
  private static let mostReports = 16

  /// Starts to search.
  ///
  /// - Parameter hub: the hub of the session; nil if the bytes are passed to ``receive(_:)``.
  init(_ sources: [SymbolSource], receivingFrom hub: Hub?, on loop: IOLoop) {
    (self.sources, self.loop) = (sources, loop)
    lastTime = loop.now
    subscription = hub?.subscribe(as: .listener) { [unowned self] bytes, _ in receive(bytes) }
  }

  /// Whether answers are missing.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Searches a piece.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    let start = receivedCount
    receivedCount += bytes.count
    var (index, place) = (0, 0)
    while let event = reader.next(in: bytes, from: &index) {
      if event == .returned { continue }
      search(endingAt: start + index, isWhole: event == .ended)
      if event == .ended { early = [] }
      place = index
    }
    isUnsearched = !reader.isEmpty && (isUnsearched || place < bytes.count)
    guard isUnsearched else { return }
    lastTime = loop.now
    if timer == nil { waitForPause(Self.pause) }
  }

  /// Searches the unfinished line, because no more is received.
  func finish() {
    guard isUnsearched else { return }
    isUnsearched = false
    search(endingAt: receivedCount, isWhole: false)
  }

  private func waitForPause(_ time: Duration) {
    timer = loop.schedule(after: time) { [unowned self] in
      timer = nil
      guard isUnsearched else { return }
      let rest = lastTime + Self.pause - loop.now
      if rest > .zero { waitForPause(rest) } else { finish() }
    }
  }

  private func search(endingAt end: Int, isWhole: Bool) {
    if reader.isEmpty { return }
    let line = reader.withText(Array.init)
    if seenReports.count < Self.mostReports, let report = BootReport(in: line),
      seenReports.insert(report).inserted
    {
      reports.notify(report)
    }
    let found = finder.addresses(in: line, isWhole: isWhole) { address in
      sources.contains { $0.file.elf.isCode(address) }
    }
    for address in found where !early.contains(address) {
      early.append(address)
      guard let source = sources.first(where: { $0.file.elf.isCode(address) }) else { continue }
      lookUp(address, in: source, end)
    }
  }

  private func lookUp(_ address: UInt64, in source: SymbolSource, _ end: Int) {
    guard waiting.count < Self.mostWaiting else { return refusedCount += 1 }
    let number = firstNumber + waiting.count
    switch source.lookUp(address, onAnswer: { [weak self] in self?.settle(number, $0) }) {
    case .known(let frames):
      if waiting.isEmpty {
        report(address, source, end, frames)
      } else {
        waiting.append(Entry(address: address, source: source, end: end, frames: frames))
      }
    case .asked: waiting.append(Entry(address: address, source: source, end: end))
    case .refused: refusedCount += 1
    }
  }

  private func settle(_ number: Int, _ frames: [SourceFrame]) {
    let index = number - firstNumber
    guard waiting.indices.contains(index) else { return }
    waiting[index].frames = frames
    let ready = waiting.prefix { $0.frames != nil }
    waiting.removeFirst(ready.count)
    firstNumber += ready.count
    for entry in ready { report(entry.address, entry.source, entry.end, entry.frames ?? []) }
    if waiting.isEmpty, refusedCount > 0 {
      let count = refusedCount
      refusedCount = 0
      refusals.notify(count)
    }
  }

  private func report(
    _ address: UInt64, _ source: SymbolSource, _ end: Int, _ frames: [SourceFrame]
  ) {
    guard let note = SymbolNote(address, frames, has64Bits: source.file.elf.has64Bits) else {
      return
    }
    answers.notify(Answer(note: note, end: end))
  }
}
