package import TextTools

/// A line of an agent, and bytes of a device for it: whatever they are, each message gets at most one answer,
/// each answer is one line of JSON, and no text can control a terminal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  let messages = ClientMessage.parse(String(decoding: bytes, as: UTF8.self))
  precondition((1...ClientMessage.batchLimit).contains(messages.count))
  for message in messages { check(message) }
  // A valid request with foreign text in it.
  let text = JSON.string(String(decoding: bytes, as: UTF8.self))
  let request = JSON.object([
    ("jsonrpc", .string("2.0")), ("id", text), ("method", text), ("params", .object([("a", text)])),
  ])
  for message in ClientMessage.parse("\(request)") { check(message) }
  checkText(bytes)
  return 0
}

private let server = ServerMessage(name: "fuzz", title: "fuzz", version: "0")

private func check(_ message: ClientMessage) {
  switch message {
  case .request(let request):
    let answer = server.result(
      [("echo", request.parameters)], of: request.id, in: request.era, for: .momentary)
    checkLine(answer)
    let version = server.initialized(
      request.method, capabilities: .object([]), instructions: "")[0].1.string
    precondition(ProtocolRevision(rawValue: version ?? "") != nil)
  case .invalid(let id, let error):
    precondition(error.code < 0)
    checkLine(server.error(error, of: id))
  case .notification, .response: break
  }
}

private func checkLine(_ line: String) {
  precondition(line.unicodeScalars.allSatisfy(\.isShownAsItself))
  guard let json = try? JSON(parsing: line), json["jsonrpc"]?.string == "2.0" else {
    preconditionFailure("not JSON")
  }
}

private func checkText(_ bytes: UnsafeRawBufferPointer) {
  let text = DeviceText(bytes)
  precondition(text.isExact == text.text.utf8.elementsEqual(bytes))
  precondition(text.text.utf8.count <= 5 * bytes.count + 4)
  for line in text.quoted.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
    precondition(bytes.isEmpty || line.starts(with: "| ".unicodeScalars))
    precondition(line.allSatisfy { $0.isShownAsItself || $0 == "\t" })
  }
}
