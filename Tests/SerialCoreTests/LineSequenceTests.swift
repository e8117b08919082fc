import SerialCore
import Testing

@Suite(.timeLimit(.minutes(30))) struct LineSequenceTests {
  @Test func text_becomesSteps_inTheirOrder() throws {
    let sequence = try LineSequence(
      parsing: "dtr=off, rts=on,wait=100,break=on,break=off,rts=off,baud=1200")
    #expect(
      sequence.steps == [
        .set(asserting: [], deasserting: .dtr), .set(asserting: .rts, deasserting: []),
        .wait(.milliseconds(100)), .setBreak(true), .setBreak(false),
        .set(asserting: [], deasserting: .rts), .setBaudRate(1_200),
      ])
    #expect(
      "\(sequence)" == "dtr=off,rts=on,wait=100,break=on,break=off,rts=off,baud=1200")
  }

  @Test func steps_areHandedOut_oneAtATime() throws {
    var rest = try LineSequence(parsing: "wait=0,wait=10s,wait=500ms").makeIterator()
    #expect(rest.next() == .wait(.zero))
    #expect(rest.next() == .wait(.seconds(10)))
    #expect(rest.next() == .wait(.milliseconds(500)))
    #expect(rest.next() == nil)
    #expect(rest.next() == nil)
  }

  @Test(arguments: [
    ("", 1, ""), ("dtr=off,", 2, ""), ("dtr", 1, "dtr"), ("dtr=high", 1, "dtr=high"),
    ("rts=on,cts=on", 2, "cts=on"), ("wait=10001", 1, "wait=10001"), ("wait=-1", 1, "wait=-1"),
    ("wait=+1", 1, "wait=+1"), ("wait=", 1, "wait="), ("wait", 1, "wait"),
    ("wait=11s", 1, "wait=11s"), ("wait=1.5", 1, "wait=1.5"),
    ("wait=99999999999999999999", 1, "wait=99999999999999999999"),
    ("baud=0", 1, "baud=0"), ("baud=+9600", 1, "baud=+9600"), ("baud", 1, "baud"),
    ("dtr=on=off", 1, "dtr=on=off"), ("DTR=on", 1, "DTR=on"),
  ])
  func wrongItem_isNamed(text: String, position: Int, item: String) {
    let error = #expect(throws: ItemParsingError.self) { try LineSequence(parsing: text) }
    #expect(error?.position == position)
    #expect(error?.item == item)
    #expect(error?.description.contains("expected") == true)
  }
}
