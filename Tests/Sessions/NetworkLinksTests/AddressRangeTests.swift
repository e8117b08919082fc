import Testing
import Time

@testable import NetworkLinks

@Suite struct AddressRangeTests {
  @Test(arguments: [
    ("192.168.1.0/24", "192.168.1.77", true), ("192.168.1.0/24", "192.168.2.1", false),
    ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false),
    ("10.0.0.0/9", "10.127.0.1", true), ("10.0.0.0/9", "10.128.0.1", false),
    ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
    ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false),
    ("::1", "::1", true),
    // IPv4 within IPv6: RFC 4291, 2.5.5.2.
    ("::ffff:127.0.0.1", "127.0.0.1", true), ("::ffff:127.0.0.1", "127.0.0.2", false),
    ("127.0.0.1", "::ffff:127.0.0.1", true), ("127.0.0.0/8", "::ffff:7f01:203", true),
    ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("::ffff:10.0.0.0/104", "11.1.2.3", false),
    ("::ffff:0:0/96", "8.8.8.8", true), ("::ffff:127.0.0.1", "::1", false),
    ("::/0", "8.8.8.8", false), ("::7f00:1", "127.0.0.1", false),
  ])
  func range_containsAddress(_ range: String, _ address: String, _ isIn: Bool) throws {
    #expect(try #require(AddressRange(parsing: range)).contains(address) == isIn)
  }

  @Test(arguments: [
    "", "lab", "1.2.3", "1.2.3.4/33", "1.2.3.4/", "1.2.3.4/-1", "::1/129", "1.2.3.4/8/8",
    "1.2.3.4/+8",
  ])
  func anotherText_isNone(_ text: String) { #expect(AddressRange(parsing: text) == nil) }

  @Test func gate_letsABurstIn_andThenASteadyNumberASecond() {
    var gate = AttemptGate()
    var now = MonotonicTime.now
    for _ in 0..<AttemptGate.burst {
      #expect(gate.wait(at: now) == nil)
      gate.note(at: now)
    }
    #expect(gate.wait(at: now) != nil)
    now = now + AttemptGate.interval
    #expect(gate.wait(at: now) == nil)
    gate.note(at: now)
    #expect(gate.wait(at: now) != nil)
    // After a pause, a burst is allowed again.
    now = now + .seconds(60)
    for _ in 0..<AttemptGate.burst {
      #expect(gate.wait(at: now) == nil)
      gate.note(at: now)
    }
    #expect(gate.wait(at: now) != nil)
  }
}
