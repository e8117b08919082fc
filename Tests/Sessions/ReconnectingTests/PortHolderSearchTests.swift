import EventLoop
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing

@Suite("The search for programs that have ports open", .timeLimit(.minutes(30)))
struct PortHolderSearchTests {
  /// What the scans were asked, and how many ran at once.
  private struct Record {
    var questions: [[FilePath]] = []
    var running = 0
    /// Whether the scans wait.
    var isHeld = false
    var most = 0
  }

  private let loop: IOLoop
  private let record = Guarded(Record())
  private let search: PortHolderSearch

  init() throws {
    loop = try IOLoop()
    search = PortHolderSearch { [record] paths in
      record.withLock {
        $0.questions.append(paths)
        $0.running += 1
        $0.most = max($0.most, $0.running)
      }
      record.wait(until: nil) { !$0.isHeld }
      defer { record.withLock { $0.running -= 1 } }
      return paths.map { path in
        path == "/dev/none"
          ? [] : [PortHolders.Use(holder: PortHolder(pid: 7, command: path.string))]
      }
    }
  }

  private var questions: [[FilePath]] { record.withLock { $0.questions } }

  private func turn(until isDone: () -> Bool) throws {
    while !isDone() { try loop.turn(waitingAtMost: .milliseconds(20)) }
  }

  @Test("64 sessions that ask in one turn share one search")
  func shared() throws {
    var answers: [Int: String] = [:]
    var requests: [PortHolderSearch.Request] = []
    for number in 0..<64 {
      requests.append(
        search.uses(of: FilePath("/dev/ttyUSB\(number)"), on: loop) { uses in
          answers[number] = uses?.first?.holder.command
        })
    }
    try turn { answers.count == 64 }
    #expect(answers == Dictionary(uniqueKeysWithValues: (0..<64).map { ($0, "/dev/ttyUSB\($0)") }))
    #expect(questions.map(\.count) == [64])
    withExtendedLifetime(requests) {}
  }

  @Test("what is asked during a search is answered by the next one, never by two at once")
  func later() throws {
    var order: [String] = []
    var requests: [PortHolderSearch.Request] = []
    func ask(_ name: String) {
      requests.append(search.uses(of: FilePath(name), on: loop) { _ in order.append(name) })
    }
    ask("a")
    try turn { !questions.isEmpty }
    for name in ["b", "c", "d"] { ask(name) }
    try turn { order.count == 4 }
    #expect(order == ["a", "b", "c", "d"])
    #expect(questions == [["a"], ["b", "c", "d"]])
    #expect(record.withLock { $0.most } == 1)
    // It goes on afterwards.
    ask("/dev/none")
    try turn { order.count == 5 }
    #expect(questions.count == 3)
  }

  @Test("a released question is neither asked nor answered")
  func released() throws {
    var order: [String] = []
    var first: PortHolderSearch.Request? = search.uses(of: "a", on: loop) { _ in order.append("a") }
    let second = search.uses(of: "b", on: loop) { _ in order.append("b") }
    first = nil
    try turn { !order.isEmpty }
    #expect(questions == [["b"]])
    record.withLock { $0.isHeld = true }
    first = search.uses(of: "c", on: loop) { _ in order.append("c") }
    try turn { questions.count == 2 }
    // Released during its search.
    first = nil
    let last = search.uses(of: "d", on: loop) { _ in order.append("d") }
    record.withLock { $0.isHeld = false }
    try turn { order.count == 2 }
    #expect(order == ["b", "d"])
    withExtendedLifetime((first, second, last)) {}
  }
}
