/// Bytes of a server: whatever they are and however they are divided, the client reads the same from them,
/// and its answers are bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let settings = ComPortClient.Settings(
    baudRate: 115_200, dataSize: 8, parity: .none, stopSize: 1, flow: .noFlow)
  var (whole, divided) = (ComPortClient(settings), ComPortClient(settings))
  whole.open()
  divided.open()
  var (data, otherData) = ([UInt8](), [UInt8]())
  let events = bytes.withUnsafeBytes { whole.receive($0, into: &data) }
  var otherEvents: [ComPortClient.Event] = []
  for byte in bytes {
    otherEvents += [byte].withUnsafeBytes { divided.receive($0, into: &otherData) }
  }
  precondition(data == otherData && events == otherEvents && whole.output == divided.output)
  precondition(data.count <= count)
  // An answer is at most as long as three times its question, besides what opening sends.
  precondition(whole.output.count <= 200 + 12 * count)
  return 0
}
