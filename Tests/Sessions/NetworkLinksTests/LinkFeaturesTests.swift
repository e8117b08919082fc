import EventLoop
import Observing
import Telnet
import Testing

@testable import NetworkLinks
@testable import SerialCore

/// A link to a serialterm, which reports the features of its real port.
@Suite(.timeLimit(.minutes(30))) struct LinkFeaturesTests {
  /// A session whose port a serialterm serves.
  ///
  /// - Parameter first: what the server says before the state of its port.
  private func joined(saying first: [SharingMessage]) throws -> Bench {
    let bench = try Bench(.rfc2217)
    bench.answer = { [unowned bench] message in
      switch message {
      case .baudRate: bench.say(.signature(Array("serialterm test".utf8)))
      case .sharing:
        for message in first { bench.say(.sharing(message.bytes)) }
        bench.say(.sharing(SharingMessage.port(.open, name: "board").bytes))
        return nil
      default: break
      }
      return message
    }
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    return bench
  }

  private func say(_ message: SharingMessage, on bench: Bench) {
    bench.say(.sharing(message.bytes))
  }

  private static let old: LineCapabilities = [
    .modemLines, .breaks, .settings, .counters, .backPressure, .networkTiming,
  ]

  @Test func `A server that reports no features has all, as before`() throws {
    #expect(try joined(saying: []).session.capabilities == Self.old)
  }

  @Test(
    arguments: [
      ([], false), ([.features(.settings)], false), ([.features([.settings, .reportsSent])], true),
    ] as [([SharingMessage], Bool)])
  func `A server is asked what it has sent only if it answers`(
    first: [SharingMessage], isAsked: Bool
  ) throws {
    let bench = try joined(saying: first)
    let link = try #require(bench.session.link as? NetworkLink)
    #expect(link.reportsSent == isAsked)
  }

  @Test func `The features are those that the server reports before the port is open`() throws {
    let bench = try joined(saying: [.features(.settings)])
    #expect(bench.session.capabilities == [.settings, .backPressure, .networkTiming])
    #expect(bench.session.modemLines == nil && bench.session.counters == nil)
    let isUnsupported = { (error: SerialError) in error.code == .unsupported }
    let link = try #require(bench.session.link as? NetworkLink)
    #expect(throws: SerialError.self) { try link.modemLines() }
    #expect(throws: SerialError.self) { try link.counters() }
    do throws(SerialError) {
      try link.setBreak(true)
      Issue.record("a break was sent")
    } catch {
      #expect(isUnsupported(error))
    }
    do throws(SerialError) {
      try link.setModemLines(asserting: .dtr, deasserting: [])
      Issue.record("a line was set")
    } catch {
      #expect(isUnsupported(error))
    }
    try bench.session.apply(LineSettings(baudRate: 300))
    #expect(try bench.wait { bench.messages.contains(.baudRate(300)) })
    #expect(!bench.messages.contains(.control(.breakOn)))
    #expect(!bench.messages.contains(.control(.dtrOn)))
  }

  @Test func `Features that change while the link is open are those of the session`() throws {
    let bench = try joined(saying: [.features(.settings)])
    bench.say(.modemState([.cts]))
    say(.counters(Array(1...11)), on: bench)
    say(.features([.settings, .breaks, .modemLines, .counters]), on: bench)
    #expect(try bench.wait { bench.session.capabilities == Self.old })
    #expect(bench.session.modemLines?.contains(.cts) == true)
    #expect(bench.session.counters == LineCounters(Array(1...11)))
    try bench.session.setBreak(true)
    say(.features([]), on: bench)
    #expect(try bench.wait { bench.session.capabilities == [.backPressure, .networkTiming] })
    var answer: Result<LineSettings, SerialError>?
    bench.session.apply(LineSettings(baudRate: 300)) { answer = $0 }
    guard case .failure(let error)? = answer else {
      Issue.record("settings were changed")
      return
    }
    #expect(error.code == .unsupported)
  }

  @Test func `The counters are those of the real port, and errors are counted once`() throws {
    var numbers = [UInt32](repeating: 0, count: SharingMessage.counterCount)
    numbers[2] = 40
    let bench = try joined(saying: [.counters(numbers), .features([.counters])])
    #expect(bench.session.counters?.framingErrors == 40)
    var changes: [UInt32] = []
    let token = bench.session.observe(.countersChange) {
      changes.append($0.new.changes(since: $0.old).framingErrors)
    }
    numbers[2] = 42
    bench.say(.lineState([.framingError]))
    say(.counters(numbers), on: bench)
    #expect(try bench.wait { bench.session.counters?.framingErrors == 42 })
    bench.session.refreshCounters()
    #expect(changes == [2] && bench.session.counters?.framingErrors == 42)
    withExtendedLifetime(token) {}
  }
}
