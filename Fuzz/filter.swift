/// The escape filter: whatever comes in, nothing comes out that commands a terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFilter(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let output = FuzzInput(bytes, count).output(of: EscapeFilter())
  if let harm = TerminalReading.harm(in: output) { fatalError("came out: \(harm)") }
  return 0
}
