import EventLoop
import Glibc
import Posix
import ProgramCommands
import Sessions
import SystemPackage
import Terminal

/// The lines that a program writes to standard input, performed in turns of the loop.
///
/// ``ProgramLines`` decides what is next. This reads the bytes for it, and gives it its turns.
final class ProgramInput<Message: ProgramMessage> {
  private let file = StandardFile(.standardInput, O_RDONLY)
  private let loop: IOLoop
  private let isCrowded: () -> Bool
  private let isJoining: () -> Bool
  private let onStep: (ProgramLines<Message>.Step) -> Void
  private var lines = ProgramLines<Message>()
  private var watch: DescriptorWatch?
  private var nextTurn: LoopTimer?
  private var hasEnded = false

  /// The maximum number of bytes that are read in a turn of the loop.
  private static var pieceSize: Int { 16_384 }

  /// - Parameters:
  ///   - isCrowded: whether the program must read its answers before more is performed.
  ///     ``goOn()`` is called when it has.
  ///   - isJoining: whether the program has not joined its session yet. ``goOnSoon()`` is called
  ///     when it has.
  ///   - onStep: performs a step.
  init(
    on loop: IOLoop, isCrowded: @escaping () -> Bool, isJoining: @escaping () -> Bool = { false },
    onStep: @escaping (ProgramLines<Message>.Step) -> Void
  ) {
    self.loop = loop
    self.isCrowded = isCrowded
    self.isJoining = isJoining
    self.onStep = onStep
  }

  /// Begins to read.
  ///
  /// - Throws: `Errno.badFileDescriptor` if standard input is not open for reading, and the errors
  ///   of epoll_ctl(2).
  func begin() throws(Errno) {
    guard file.isUsable else { throw .badFileDescriptor }
    watch = try loop.watch(file.descriptor, for: .reading, isUrgent: true) { [unowned self] _ in
      read()
    }
  }

  /// Ends the reading. No step follows.
  func end() {
    hasEnded = true
    watch?.cancel()
    (watch, nextTurn) = (nil, nil)
  }

  /// Notes that the message that runs was answered.
  func answered() { handle(.answered) }

  /// Gives the lines a turn of its own: what has come may be in the middle of its work.
  func goOnSoon() { nextTurn = loop.schedule(after: .zero) { [unowned self] in goOn() } }

  /// Gives the lines a turn.
  func goOn() {
    nextTurn = nil
    handle(.turn(isCrowded: isCrowded(), isJoining: isJoining()))
  }

  /// Reads what there is, at most once. An input that cannot be read has ended.
  private func read() {
    switch (try? file.descriptor.readPiece(atMost: Self.pieceSize)) ?? .end {
    case .wouldBlock: return
    case .bytes(let bytes): handle(.bytes(bytes))
    case .end:
      watch?.cancel()
      watch = nil
      handle(.end)
    }
    goOn()
  }

  private func handle(_ event: ProgramLines<Message>.Event) {
    guard !hasEnded else { return }
    for action in lines.handle(event) where !hasEnded {
      switch action {
      case .step(let step): onStep(step)
      case .read(let mayRead): watch?.setInterest(mayRead ? .reading : [])
      case .turn: goOnSoon()
      }
    }
  }
}
