/// Bytes of the other side: whatever they are and however they are divided, a client and a server read the same
/// from them, and their answers are bounded.
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
  precondition(data == otherData && events == otherEvents)
  // The answers of telnet and of the port are in another order if they belong to one piece.
  precondition(whole.output.sorted() == divided.output.sorted())
  precondition(data.count <= count)
  // An answer is at most as long as three times its question, besides what opening sends.
  precondition(whole.output.count <= 200 + 12 * count)
  fuzzServer(bytes, settings)
  return 0
}

extension ComPortClient {
  fileprivate mutating func receive(
    _ bytes: UnsafeRawBufferPointer, into data: inout [UInt8]
  ) -> [Event] {
    var copy = Array(bytes)
    let received = copy.withUnsafeMutableBytes { receive($0, atMost: .max) }
    data += copy.prefix(received.dataCount)
    return received.events
  }
}

private func fuzzServer(_ bytes: [UInt8], _ settings: ComPortClient.Settings) {
  let port = ComPortServer.Port(settings: settings, isDTROn: true, isRTSOn: false)
  func served(inPiecesOf size: Int) -> (data: [UInt8], output: [UInt8]) {
    var server = ComPortServer(signature: "serialterm")
    var data: [UInt8] = []
    server.open()
    var rest = bytes[...]
    while !rest.isEmpty {
      let events = rest.prefix(size).withUnsafeBytes { server.receive($0, into: &data) }
      for case .asked(let message) in events { server.answer(message, with: port) }
      rest = rest.dropFirst(size)
    }
    return (data, server.output)
  }
  let (whole, divided) = (served(inPiecesOf: .max), served(inPiecesOf: 1))
  precondition(whole.data == divided.data && whole.data.count <= bytes.count)
  precondition(whole.output.sorted() == divided.output.sorted())
  precondition(whole.output.count <= 200 + 12 * bytes.count)
}
