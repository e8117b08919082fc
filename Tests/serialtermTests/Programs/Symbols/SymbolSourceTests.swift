import EventLoop
import Glibc
import Observing
import Posix
import Symbols
import SystemPackage
import TestSupport
import Testing
import Time

@testable import serialterm

/// Looking up addresses with programs that work, hang, end and lie.
@Suite(.timeLimit(.minutes(30))) struct SymbolSourceTests {
  /// A source whose program is a shell script.
  private final class Bench {
    let clock = TestClock()
    let loop: IOLoop
    let source: SymbolSource
    private let folder: TemporaryFolder
    private(set) var news: [SymbolSource.News] = []
    private var observation: ObservationToken<SymbolSource.News>?

    init(_ script: String) throws {
      // As in the program, writing to one that has ended is an error of write(2).
      signal(SIGPIPE, SIG_IGN)
      folder = try TemporaryFolder()
      let program = try folder.makeScript("addr2line", script)
      loop = try IOLoop(clock: { [clock] in clock.now })
      source = SymbolSource(
        SymbolFile(
          path: "/proc/self/exe", elf: try ELFReading.headers(of: "/proc/self/exe"),
          program: program.string), on: loop)
      observation = source.news.observe { [unowned self] in news.append($0) }
    }

    /// Runs turns until a condition is met, for at most a minute of real time.
    func wait(until isMet: () -> Bool) throws {
      let deadline = MonotonicTime.now + .seconds(60)
      while !isMet(), .now < deadline { try loop.turn(waitingAtMost: .milliseconds(20)) }
      #expect(isMet())
    }
  }

  /// Answers each address with a function of its name.
  private static let honest =
    "while read a; do read m; printf '%s\\nf_%s\\nx.c:1\\n%s\\n??\\n??:0\\n' $a $a $m; done"

  private func frames(_ function: String) -> [SourceFrame] {
    [SourceFrame(function: function, place: "x.c:1")]
  }

  @Test func anAnswerComesLater_andIsThenKnown() throws {
    let bench = try Bench(Self.honest)
    var answers: [[SourceFrame]] = []
    #expect(bench.source.lookUp(0x10) { answers.append($0) } == .asked)
    #expect(bench.source.lookUp(0x10) { answers.append($0) } == .asked)
    try bench.wait { answers.count == 2 }
    #expect(answers == [frames("f_0x10"), frames("f_0x10")])
    #expect(bench.source.lookUp(0x10) { _ in } == .known(frames("f_0x10")))
  }

  @Test func questionsAreBounded_andAnsweredInTheirOrder() throws {
    let bench = try Bench(Self.honest)
    var answers: [[SourceFrame]] = []
    for address in UInt64(1)...256 {
      #expect(bench.source.lookUp(address) { answers.append($0) } == .asked)
    }
    #expect(bench.source.lookUp(257) { _ in } == .refused)
    try bench.wait { answers.count == 256 }
    #expect(answers == (1...256).map { frames("f_0x\(String($0, radix: 16))") })
    #expect(bench.source.lookUp(257) { _ in } == .asked)
  }

  @Test func oneThatHangsIsKilled_andItsAddressIsUnknownAfterTheSecondTime() throws {
    let bench = try Bench("sleep 1000")
    var answers: [[SourceFrame]] = []
    #expect(bench.source.lookUp(0x10) { answers.append($0) } == .asked)
    #expect(bench.source.lookUp(0x20) { answers.append($0) } == .asked)
    try bench.loop.turn(waitingAtMost: .zero)
    bench.clock.advance(by: .seconds(19))
    try bench.loop.turn(waitingAtMost: .zero)
    #expect(bench.news.isEmpty)
    bench.clock.advance(by: .seconds(2))
    try bench.wait { bench.news == [.failed("it does not answer")] }
    #expect(answers.isEmpty)
    // The second start is after a second, the third one after two more; then nothing waits.
    bench.clock.advance(by: .seconds(1))
    try bench.loop.turn(waitingAtMost: .zero)
    bench.clock.advance(by: .seconds(21))
    try bench.wait { answers == [[]] }
    #expect(bench.source.lookUp(0x10) { _ in } == .known([]))
    bench.clock.advance(by: .seconds(2))
    try bench.loop.turn(waitingAtMost: .zero)
    bench.clock.advance(by: .seconds(21))
    try bench.wait { answers == [[], []] }
    #expect(bench.source.lookUp(0x30) { _ in } == .refused)
    bench.clock.advance(by: .seconds(4))
    try bench.loop.turn(waitingAtMost: .zero)
    #expect(bench.source.lookUp(0x30) { _ in } == .asked)
    // The same reason is said once.
    #expect(bench.news == [.failed("it does not answer")])
  }

  @Test(
    arguments: [
      ("exit 3", "it ended with status 3"),
      ("echo no such file >&2; exit 1", "it ended with status 1: no such file"),
      (
        "while read a; do printf '0x1\\nf\\nx\\n0xffffffff\\n'; done",
        "it answers what was not asked"
      ),
      ("exec yes", "it prints no answers"),
    ])
  func oneThatFailsIsReported(_ script: String, _ reason: String) throws {
    let bench = try Bench(script)
    var answers: [[SourceFrame]] = []
    #expect(bench.source.lookUp(0x10) { answers.append($0) } == .asked)
    try bench.wait { !bench.news.isEmpty || !answers.isEmpty }
    #expect(bench.news == [.failed(reason)])
    // It is asked once more, later.
    #expect(answers.isEmpty)
  }

  @Test func oneThatCannotBeRunIsReported() throws {
    let bench = try Bench("")
    let missing = SymbolSource(
      SymbolFile(path: "/proc/self/exe", elf: bench.source.file.elf, program: "/no/such"),
      on: bench.loop)
    var news: [SymbolSource.News] = []
    let observation = missing.news.observe { news.append($0) }
    withExtendedLifetime(observation) {
      #expect(missing.lookUp(0x10) { _ in } == .asked)
    }
    #expect(news == [.failed("it cannot be run: \(Errno.noSuchFileOrDirectory)")])
  }
}

@Suite struct ELFReadingTests {
  @Test func theHashIsThatOfTheFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("abc", Array("abc".utf8))
    #expect(
      ELFReading.sha256(of: path).map(BootReport.hexadecimal)
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(ELFReading.sha256(of: folder("none")) == nil)
  }

  @Test func whatIsNoELFFileIsRefused() throws {
    let folder = try TemporaryFolder()
    #expect(throws: ELFError.unreadable("not a file")) { try ELFReading.headers(of: "/dev/null") }
    #expect(throws: ELFError.unreadable("\(Errno.noSuchFileOrDirectory)")) {
      try ELFReading.headers(of: folder("none"))
    }
    let path = try folder.write("text", Array("text".utf8))
    #expect(throws: ELFError.notELF) { try ELFReading.headers(of: path) }
    #expect(try ELFReading.headers(of: "/proc/self/exe").hasSymbols)
  }
}
