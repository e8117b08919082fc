/// Scripts: an accepted script can be run.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScript(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let script = Array(UnsafeBufferPointer(start: bytes, count: count))
  do {
    var run = DialogueRun(try Dialogue(parsing: script))
    var steps = 0
    while steps < 1_000, let instruction = run.next() {
      steps += 1
      precondition(instruction.line > 0)
      if case .expect(let expressions, _) = instruction.action {
        let index = steps % expressions.count
        run.matched(index, captures: [script, nil])
      }
    }
  } catch { precondition(error.line > 0 && !error.what.isEmpty) }
  return 0
}
