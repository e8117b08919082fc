import EventLoop
import Posix
import Testing

@Suite struct BackgroundWorkTests {
  private let loop: IOLoop

  init() throws { loop = try IOLoop() }

  @Test func itsResultComesOnceInATurnOfTheLoop() throws {
    let gate = Gate()
    var results: [Int] = []
    var work: BackgroundWork<Int>?
    work = try BackgroundWork(on: loop) { _ in
      gate.pass()
      return 7
    } onResult: {
      results.append($0)
      // It is calling.
      work = nil
    }
    #expect(work?.result(within: .zero) == nil)
    gate.open()
    try loop.turn { !results.isEmpty }
    try loop.turn(waitingAtMost: .zero)
    #expect(results == [7])
    #expect(work == nil)
  }

  @Test func itsResultCanBeWaitedFor() throws {
    let work = try BackgroundWork(on: loop, { _ in 7 }, onResult: { _ in })
    #expect(work.result(within: .seconds(60)) == 7)
  }

  @Test func whoReleasesItGetsNoResultAndTheWorkKnowsIt() throws {
    final class Owned {}
    var owned: Owned? = Owned()
    weak let kept = owned
    let (seen, gate) = (Guarded<Bool?>(nil), Gate())
    var hasResult = false
    var work: BackgroundWork<Int>?
    work = try BackgroundWork(on: loop) { isOver in
      gate.pass()
      let isOver = isOver()
      seen.withLock { $0 = isOver }
      return 7
    } onResult: { [owned] _ in
      withExtendedLifetime(owned) { hasResult = true }
    }
    owned = nil
    #expect(work != nil && kept != nil)
    work = nil
    #expect(kept == nil)
    gate.open()
    seen.wait(until: nil) { $0 != nil }
    #expect(seen.withLock { $0 } == true)
    try loop.turn(waitingAtMost: .zero)
    #expect(!hasResult)
  }
}
