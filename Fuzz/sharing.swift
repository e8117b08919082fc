/// Messages about the people at a session: whatever the bytes are, what is read from them can be written and read
/// again, and fits into a subnegotiation.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let message = SharingMessage(bytes) {
    // A text that is not UTF-8, or too long, is repaired when it is written.
    let written = message.bytes
    precondition(written.count <= 9 + max(SharingMessage.textLimit, SharingMessage.historyLimit))
    guard let read = SharingMessage(written) else { preconditionFailure("not read again") }
    precondition(read.bytes == written && SharingMessage(read.bytes) == read)
  }
  fuzzServer(bytes)
  return 0
}

/// A client that says these bytes to a server as such a message, however they are divided.
private func fuzzServer(_ bytes: [UInt8]) {
  func heard(inPiecesOf size: Int) -> [ComPortServer.Event] {
    var server = ComPortServer(signature: "serialterm")
    let message = ComPortMessage.sharing(bytes).parameters(fromServer: false)
    let doubled = message.flatMap { $0 == 255 ? [255, 255] : [$0] }
    var rest = ([255, 250, 44] + doubled + [255, 240])[...]
    var (events, data) = ([ComPortServer.Event](), [UInt8]())
    while !rest.isEmpty {
      events += rest.prefix(size).withUnsafeBytes { server.receive($0, into: &data) }
      rest = rest.dropFirst(size)
    }
    precondition(data.isEmpty)
    return events
  }
  let whole = heard(inPiecesOf: .max)
  precondition(whole == heard(inPiecesOf: 1))
  let shared = whole.filter { if case .shared = $0 { true } else { false } }
  precondition(shared.count <= 1)
}
