import Time

/// Scripts: an accepted script can be run, whatever comes or does not come in time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScript(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let script = Array(UnsafeBufferPointer(start: bytes, count: count))
  do {
    let dialogue = try Dialogue(parsing: script)
    var run = DialogueRun(dialogue)
    var steps = 0
    // The bytes of the script decide what happens, and how late it is.
    var chances = script.makeIterator()
    while steps < 1_000 {
      let chance = Int(chances.next() ?? 0)
      let now = MonotonicTime(nanoseconds: Int64(steps) * (chance == 0xFF ? .max / 1_000 : 1 << 30))
      guard let instruction = run.next(at: now) else { break }
      steps += 1
      precondition(instruction.line > 0)
      switch instruction.action {
      case .expect(let expressions, _):
        if chance % 4 == 0 {
          if !run.timedOut() { return 0 }
        } else {
          run.matched(chance % expressions.count, captures: [script, nil])
        }
      case .awaitRound(let rounds, let number, let end):
        precondition((1...rounds.count).contains(number) && end.map { $0 >= now } ?? true)
        if rounds.expression != nil, chance % 4 == 0 {
          run.matched(0, captures: [script, nil])
        } else if !run.roundIsOver(at: now) {
          precondition(number == rounds.count && rounds.expression != nil)
          if !run.timedOut() { return 0 }
        }
      default: if chance % 16 == 1, !run.timedOut() { return 0 }
      }
    }
    _ = dialogue.sentTexts
  } catch { precondition(error.line > 0 && !error.what.isEmpty) }
  return 0
}
