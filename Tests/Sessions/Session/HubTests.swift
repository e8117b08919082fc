import Posix
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing
import Time

/// The receivers of a session's bytes, their order, and which of them hold the device back.
struct HubTests {
  private let link = FakeLink(to: .tty("/dev/fake"))
  private let session: Session
  private let hub: Hub

  init() throws {
    let link = link
    session = Session(settings: LineSettings()) { _ in link }
    hub = Hub(of: session)
    try session.open(link.endpoint)
  }

  private func receive(_ text: String) {
    link.incoming = [FakeLink.Input(Array(text.utf8))]
    session.handle(.readable)
  }

  /// Records which subscriber took which bytes.
  private final class Notes {
    var taken: [String] = []
    func note(_ name: String) -> (UnsafeRawBufferPointer, Moment) -> Void {
      { [unowned self] bytes, _ in taken.append("\(name) \(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  @Test func `A log has the bytes before a view, in any order of subscribing`() {
    let notes = Notes()
    let subscriptions = [
      hub.subscribe(as: .view, notes.note("screen")),
      hub.subscribe(as: .listener, notes.note("expect")),
      hub.subscribe(as: .log, notes.note("log")),
      hub.subscribe(as: .view, notes.note("second")),
    ]
    receive("a")
    #expect(notes.taken == ["log a", "expect a", "screen a", "second a"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `All subscribers get the same time with a read, whatever the clock does meanwhile`() {
    var moments: [Moment] = []
    let wait = {
      let start = MonotonicTime.now
      while MonotonicTime.now == start {}
    }
    let subscriptions = Hub.Rank.allCases.filter { $0 != .owner }.map { rank in
      hub.subscribe(as: rank) { _, moment in
        moments.append(moment)
        wait()
      }
    }
    // An error splits the read, and not its time.
    link.incoming = [FakeLink.Input(.bytes([1]), .error(.damaged(2)), .bytes([3]))]
    session.handle(.readable)
    #expect(moments.count == 2 * subscriptions.count)
    #expect(Set(moments).count == 1)
    receive("b")
    #expect(Set(moments).count == 2)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `The owner of the line keeps the bytes from all but logs`() {
    let notes = Notes()
    let log = hub.subscribe(as: .log, notes.note("log"))
    let view = hub.subscribe(as: .view, notes.note("screen"))
    var owner: Hub.Subscription? = hub.subscribe(as: .owner, notes.note("transfer"))
    receive("a")
    #expect(notes.taken == ["log a", "transfer a"])
    owner?.end()
    owner = nil
    receive("b")
    #expect(notes.taken.suffix(2) == ["log b", "screen b"])
    withExtendedLifetime((log, view)) {}
  }

  @Test func `What the owner did not use goes to all but logs`() {
    let notes = Notes()
    let subscriptions = [
      hub.subscribe(as: .log, notes.note("log")), hub.subscribe(as: .view, notes.note("screen")),
      hub.subscribe(as: .listener, notes.note("expect")),
    ]
    Array("a".utf8).withUnsafeBytes { hub.passUnused($0) }
    #expect(notes.taken == ["expect a", "screen a"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `A subscription that ends in the middle of a piece gets nothing more`() {
    let notes = Notes()
    var view: Hub.Subscription? = hub.subscribe(as: .view, notes.note("screen"))
    let log = hub.subscribe(as: .log) { _, _ in view = nil }
    receive("a")
    #expect(notes.taken.isEmpty && hub.ranks == [.log])
    withExtendedLifetime((log, view)) {}
  }

  @Test func `A subscriber that comes in the middle of a piece starts with the next one`() {
    let notes = Notes()
    var late: Hub.Subscription?
    let log = hub.subscribe(as: .log) { [hub] _, _ in
      if late == nil { late = hub.subscribe(as: .view, notes.note("late")) }
    }
    receive("a")
    receive("b")
    #expect(notes.taken == ["late b"])
    withExtendedLifetime((log, late)) {}
  }

  @Test func `The device is held back as long as one subscriber needs it`() {
    let pipe = hub.subscribe(as: .view, whenFull: .wait) { _, _ in }
    var command: Hub.Subscription? = hub.subscribe(as: .view, whenFull: .wait) { _, _ in }
    pipe.update(isFull: true)
    command?.update(isFull: true)
    pipe.update(isFull: false)
    #expect(!session.interest.contains(.reading))
    command = nil
    #expect(session.interest.contains(.reading))
  }

  @Test(arguments: [(LineSettings.FlowControl.none, false), (.hard, true), (.soft, true)])
  func `A screen holds the device back only where that loses nothing`(
    flow: LineSettings.FlowControl, waits: Bool
  ) {
    session.apply(LineSettings(flowControl: flow)) { _ in }
    let screen = hub.subscribe(as: .view, whenFull: .waitOrLeaveOut) { _, _ in }
    screen.update(isFull: true)
    #expect(session.interest.contains(.reading) == !waits)
  }

  @Test func `A log never holds the device back`() {
    let log = hub.subscribe(as: .log) { _, _ in }
    log.update(isFull: true)
    #expect(session.interest.contains(.reading))
  }
}
