import EventLoop
import Posix
import Testing

@testable import serialterm

@Suite struct SharedWorkTests {
  @Test func thoseWhoAskMeanwhileShareTheNextResult() throws {
    let loop = try IOLoop()
    let (count, gate) = (Guarded(0), Guarded(false))
    let work = SharedWork(on: loop) {
      _ = gate.wait(until: nil) { $0 }
      return count.withLock {
        $0 += 1
        return $0
      }
    }
    var results: [String] = []
    func ask(_ name: String) -> SharedWork<Int>.Request {
      work.ask { results.append("\(name) \((try? $0.get()) ?? 0)") }
    }
    var requests = [ask("a"), ask("b")]
    // The work begins at the end of a turn.
    let timer = loop.schedule(after: .zero) {}
    try loop.turn()
    requests.append(ask("c"))
    requests.append(ask("d"))
    _ = ask("nobody")
    gate.withLock { $0 = true }
    while results.count < 4 { try loop.turn() }
    withExtendedLifetime((requests, timer)) {}
    #expect(results == ["a 1", "b 1", "c 2", "d 2"])
  }
}
