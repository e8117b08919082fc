import EventLoop
import Glibc
import Observing
import Symbols
import SystemPackage
import Time

/// Looks up the addresses of one ELF file: the answers that are known, the program that finds the
/// others, and what happens if that fails or the file is rebuilt.
///
/// ## Principles of operation
///
/// - The program starts at the first address. Each question gets one answer, at once or later; no
///   frames if the address is not known, or cannot be looked up.
/// - At most ``mostQuestions`` addresses wait. More are refused.
/// - A program that ends, or does not answer in time, is killed and started again after a pause,
///   which grows. An address that it did not answer twice is unknown. After three failures in a
///   row, nothing waits for the end of the pause.
final class SymbolSource {
  enum News: Hashable {
    /// The file was replaced; the new one is used.
    case rebuilt
    /// The program failed, for this reason. It is started again for the next address.
    case failed(String)
    /// Changes of the file are not noticed.
    case unwatched(Errno)
  }

  /// The answer to a question.
  enum Lookup: Hashable {
    case known([SourceFrame])
    /// The answer comes later.
    case asked
    /// Too many addresses wait.
    case refused
  }

  let news = Observable<News>()
  /// The file, as it is now.
  private(set) var file: SymbolFile
  private let loop: IOLoop
  private let patience: Duration
  private var cache = SymbolCache()
  private var program: AddressProgram?
  /// The addresses that wait for an answer, in the order in which they are asked, and who waits.
  private var waiting: [Question] = []
  /// The number of those that the program was asked for.
  private var askedCount = 0
  private var failureCount = 0
  private var lastProgress: MonotonicTime
  private var timer: LoopTimer?
  private var restart: LoopTimer?
  private var watch: SymbolFileWatch?
  private var digest: (work: BackgroundWork<[UInt8]?>?, bytes: [UInt8]?)?
  private var digestAnswers: [([UInt8]?) -> Void] = []
  private var reportedFailure: String?

  private struct Question {
    let address: UInt64
    var answers: [([SourceFrame]) -> Void]
    /// Whether a program has failed at it.
    var hasFailed = false
  }

  /// The number of addresses that wait at most.
  static let mostQuestions = 256
  /// The number of answers that the program is asked for at once, far less than a pipe holds.
  private static let mostAsked = 64
  /// The time in which a program answers. A large file takes seconds at first.
  static let standardPatience = Duration.seconds(20)
  /// The pause before the second start, which doubles for each further one.
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(64)
  /// The number of failures in a row from which nothing waits for the next start.
  private static let patientFailures = 3

  /// - Parameter patience: the time in which the program answers.
  init(_ file: SymbolFile, on loop: IOLoop, patience: Duration = SymbolSource.standardPatience) {
    (self.file, self.loop, self.patience) = (file, loop, patience)
    lastProgress = loop.now
  }

  /// Starts to watch the file.
  func start() {
    guard watch == nil else { return }
    do throws(Errno) {
      watch = try SymbolFileWatch(file.path, on: loop) { [unowned self] in replace(with: $0) }
    } catch {
      news.notify(.unwatched(error))
    }
  }

  /// Looks up an address.
  ///
  /// - Parameter onAnswer: called later with the frames, if the result is ``Lookup/asked``.
  func lookUp(_ address: UInt64, onAnswer: @escaping ([SourceFrame]) -> Void) -> Lookup {
    let address = file.elf.lookup(address)
    if let frames = cache.frames(at: address) { return .known(frames) }
    if let index = waiting.firstIndex(where: { $0.address == address }) {
      waiting[index].answers.append(onAnswer)
      return .asked
    }
    guard waiting.count < Self.mostQuestions, restart == nil || failureCount < Self.patientFailures
    else { return .refused }
    waiting.append(Question(address: address, answers: [onAnswer]))
    ask()
    return .asked
  }

  // MARK: The program

  private func ask() {
    guard !waiting.isEmpty, restart == nil else { return }
    if program == nil {
      do throws(Errno) {
        program = try AddressProgram(file.program, reading: file.path, on: loop) {
          [unowned self] in handle($0)
        }
      } catch {
        return fail("it cannot be run: \(error)")
      }
      askedCount = 0
    }
    if askedCount == 0 { lastProgress = loop.now }
    while askedCount < min(waiting.count, Self.mostAsked), let program {
      askedCount += 1
      program.ask(waiting[askedCount - 1].address)
    }
    if timer == nil { watchProgress(for: patience) }
  }

  /// Waits for answers, with one timer for any number of them.
  private func watchProgress(for time: Duration) {
    timer = loop.schedule(after: time) { [unowned self] in
      timer = nil
      guard askedCount > 0 else { return }
      let rest = lastProgress + patience - loop.now
      if rest > .zero { watchProgress(for: rest) } else { fail("it does not answer") }
    }
  }

  private func handle(_ event: AddressProgram.Event) {
    switch event {
    case .answer(let address, let frames):
      // A program that answers what nobody asked is not trusted with the rest.
      guard askedCount > 0, waiting[0].address == address else {
        return fail("it answers what was not asked")
      }
      (failureCount, lastProgress) = (0, loop.now)
      askedCount -= 1
      settle(frames)
      ask()
    case .failed(let reason): fail(reason)
    }
  }

  /// Answers the first question.
  private func settle(_ frames: [SourceFrame]) {
    let question = waiting.removeFirst()
    cache.keep(frames, at: question.address)
    for answer in question.answers { answer(frames) }
  }

  private func fail(_ reason: String) {
    let hadQuestion = askedCount > 0
    stopProgram()
    failureCount += 1
    let pause = min(Self.longestPause, Self.firstPause * (1 << min(failureCount - 1, 6)))
    restart = loop.schedule(after: pause) { [unowned self] in
      restart = nil
      ask()
    }
    if reportedFailure != reason {
      reportedFailure = reason
      news.notify(.failed(reason))
    }
    if hadQuestion, waiting[0].hasFailed {
      settle([])
    } else if hadQuestion {
      waiting[0].hasFailed = true
    }
    if failureCount >= Self.patientFailures {
      let questions = waiting
      waiting = []
      for question in questions { for answer in question.answers { answer([]) } }
    }
  }

  private func stopProgram() {
    program?.stop()
    // Released at the end of the turn, because it may be calling.
    loop.atEndOfTurn { [program] in _ = program }
    program = nil
    askedCount = 0
  }

  // MARK: The file

  private func replace(with elf: ELFFile) {
    file = SymbolFile(
      path: file.path, elf: elf, program: file.program, buildSystem: file.buildSystem)
    stopProgram()
    cache = SymbolCache()
    (failureCount, restart, digest, reportedFailure) = (0, nil, nil, nil)
    news.notify(.rebuilt)
    ask()
  }

  /// Whether a report fits the file, as far as that is known.
  ///
  /// - Parameter onAnswer: called once, at once or later: nil if it cannot be known.
  func check(_ report: BootReport, onAnswer: @escaping (Bool?) -> Void) {
    switch report {
    case .buildID: onAnswer(file.elf.buildID.isEmpty ? nil : report.fits(file.elf.buildID))
    case .sha256: withDigest { onAnswer($0.map { report.fits($0) }) }
    }
  }

  /// Computes the SHA-256 of the file on a thread, once.
  private func withDigest(_ onAnswer: @escaping ([UInt8]?) -> Void) {
    if let digest, digest.work == nil { return onAnswer(digest.bytes) }
    digestAnswers.append(onAnswer)
    guard digest == nil else { return }
    let path = file.path
    let work = try? BackgroundWork(on: loop, { _ in ELFReading.sha256(of: path) }) {
      [unowned self] in finishDigest($0)
    }
    if let work { digest = (work, nil) } else { finishDigest(nil) }
  }

  private func finishDigest(_ bytes: [UInt8]?) {
    digest = (nil, bytes)
    let answers = digestAnswers
    digestAnswers = []
    for answer in answers { answer(bytes) }
  }
}
