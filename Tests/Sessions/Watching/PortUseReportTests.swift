import SerialCore
import SystemPackage
import Testing
import Time

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct PortUseReportTests {
  private typealias Message = PortUseReport.Message

  private static let own: Int32 = 1
  private static let picocom = PortHolder(pid: 42, command: "picocom")
  private static let cat = PortHolder(pid: 43, command: "cat")

  /// The uses of this process, of the far end, and of others.
  private static func uses(_ others: [PortHolder]) -> [PortHolders.Use] {
    [
      PortHolders.Use(holder: PortHolder(pid: own, command: "serialterm"), isLocked: true),
      PortHolders.Use(holder: PortHolder(pid: 9, command: "socat"), isFarEnd: true),
    ] + others.map { PortHolders.Use(holder: $0) }
  }

  /// Written by hand: the programs that have the port open at each search, half a moment apart,
  /// and the messages.
  @Test(
    arguments: [
      ([[]], [[]]),
      ([[cat, picocom]], [[.shared(picocom), .shared(cat)]]),
      ([[cat], [cat]], [[.shared(cat)], []]),
      (
        [[cat], [cat, picocom], [cat, picocom], [cat, picocom], [picocom], []],
        [[.shared(cat)], [], [], [.shared(picocom)], [], [.ended]]
      ),
      ([[], [cat], [cat], [cat], []], [[], [], [], [.shared(cat)], [.ended]]),
      // Like stty(1), again and again.
      ([[], [cat], [], [picocom], [picocom], []], [[], [], [], [], [], []]),
    ] as [([[PortHolder]], [[PortUseReport.Message]])])
  func programs_areReportedOnce(looks: [[PortHolder]], messages: [[PortUseReport.Message]]) {
    var report = PortUseReport()
    let said = looks.enumerated().map { index, look in
      report.update(
        Self.uses(look), besides: Self.own, isOpenElsewhere: false, at: Self.time(index))
    }
    #expect(said == messages)
  }

  @Test func theTerminalOfAShellIsReportedOnce_whateverRunsInIt() {
    let (shell, editor) = (
      PortHolder(pid: 40, command: "bash"), PortHolder(pid: 41, command: "vim")
    )
    func look(_ report: inout PortUseReport, _ programs: [PortHolder], _ time: Int) -> [Message] {
      report.update(
        programs.map { PortHolders.Use(holder: $0, isTerminal: true) }
          + [PortHolders.Use(holder: Self.cat)],
        besides: Self.own, isOpenElsewhere: true, at: Self.time(time))
    }
    var report = PortUseReport()
    #expect(look(&report, [shell], 0) == [.terminal(of: shell), .shared(Self.cat)])
    #expect(look(&report, [shell, editor], 3) == [])
    #expect(look(&report, [shell, editor], 6) == [])
  }

  private static func time(_ halfMoments: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 0) + PortUseReport.moment / 2 * halfMoments
  }

  @Test func programThatMayBeShortLived_isLookedAtAgain() {
    var report = PortUseReport()
    _ = report.update([], besides: Self.own, isOpenElsewhere: false, at: Self.time(0))
    #expect(!report.isUndecided)
    _ = report.update(
      Self.uses([Self.cat]), besides: Self.own, isOpenElsewhere: false, at: Self.time(0))
    #expect(report.isUndecided)
    _ = report.update(
      Self.uses([Self.cat]), besides: Self.own, isOpenElsewhere: false, at: Self.time(2))
    #expect(!report.isUndecided)
  }

  @Test func unknownProgram_isReported_onlyIfNoProgramIsFound() {
    var report = PortUseReport()
    let own = [Self.uses([])[0]]
    #expect(
      report.update(own, besides: Self.own, isOpenElsewhere: true, at: Self.time(0)) == [.opened])
    #expect(report.update(own, besides: Self.own, isOpenElsewhere: true, at: Self.time(0)) == [])
    #expect(
      report.update(own, besides: Self.own, isOpenElsewhere: false, at: Self.time(0)) == [.ended])
    #expect(
      report.update(Self.uses([]), besides: Self.own, isOpenElsewhere: true, at: Self.time(0)) == []
    )
  }
}
