import Posix
import Testing

@testable import EventLoop

@Suite struct WorkerTests {
  private let loop: IOLoop
  private let worker: Worker

  init() throws {
    loop = try IOLoop()
    worker = Worker(on: loop)
  }

  @Test func theLoopGoesOnWhileWorkIsDone() throws {
    let gate = Gate()
    var result: Int?
    let job = worker.perform(.late) {
      { _ in
        gate.pass()
        return 7
      }
    } onResult: {
      result = try? $0.get()
    }
    var ticks = 0
    let timer = loop.schedule(after: .zero) {
      ticks += 1
      gate.open()
    }
    try withExtendedLifetime((job, timer)) { try loop.turn { result != nil } }
    #expect(result == 7)
    #expect(ticks == 1)
  }

  @Test func onePieceIsDoneAfterTheOtherAndWhatIsUrgentFirst() throws {
    let (gate, order) = (Gate(), Guarded<[String]>([]))
    var count = 0
    func perform(_ name: String, _ urgency: Worker.Urgency) -> Worker.Job {
      worker.perform(urgency) {
        { _ in
          gate.pass()
          order.withLock { $0.append(name) }
        }
      } onResult: { _ in
        count += 1
      }
    }
    let jobs = [
      perform("first", .late), perform("late", .late), perform("soon", .soon),
      perform("later", .late),
    ]
    gate.open()
    try withExtendedLifetime(jobs) { try loop.turn { count == 4 } }
    #expect(order.withLock { $0 } == ["first", "soon", "late", "later"])
  }

  @Test func workThatNobodyWantsIsNotBegunAndToldThatItIsOver() throws {
    let (gate, begun) = (Gate(), Guarded<[String]>([]))
    let wasOver = Guarded<Bool?>(nil)
    var results: [String] = []
    var running: Worker.Job? = worker.perform(.late) {
      { isOver in
        gate.pass()
        wasOver.withLock { $0 = isOver() }
      }
    } onResult: { _ in
      results.append("running")
    }
    var waiting: Worker.Job? = worker.perform(.late) {
      { _ in begun.withLock { $0.append("waiting") } }
    } onResult: { _ in
      results.append("waiting")
    }
    let last = worker.perform(.late) {
      { _ in begun.withLock { $0.append("last") } }
    } onResult: {
      _ in
      results.append("last")
    }
    _ = (running, waiting)
    (running, waiting) = (nil, nil)
    gate.open()
    try withExtendedLifetime(last) { try loop.turn { !results.isEmpty } }
    #expect(results == ["last"])
    #expect(begun.withLock { $0 } == ["last"])
    #expect(wasOver.withLock { $0 } == true)
  }
}
