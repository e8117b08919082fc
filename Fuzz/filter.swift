/// The escape filter: no input makes it output a sequence that commands a terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFilter(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let output = FuzzInput(bytes, count).output(of: EscapeFilter())
  if let harm = TerminalReading.harm(in: output) { fatalError("the output contains \(harm)") }
  return 0
}
