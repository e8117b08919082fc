/// Whatever the other side sends, and whatever happens: the senders and receivers of XMODEM and YMODEM do not crash,
/// answer with a bounded number of bytes, and end if nothing more comes. The detector of offers takes the same bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  var conditions = TransferConditions(bytesPerSecond: first & 1 == 0 ? nil : 11_520)
  conditions.largestFile = first & 2 == 0 ? nil : 1_000
  let kind: BlockProtocol =
    switch first >> 2 & 3 {
    case 0: .xmodem
    case 1: .xmodem1K
    case 2: .ymodem
    default: .ymodemG
    }
  run(bytes.dropFirst(), on: BlockSender(kind, conditions: conditions))
  run(bytes.dropFirst(), on: BlockReceiver(kind, conditions: conditions))
  run(bytes.dropFirst(), on: PlainSender(lineEnd: first & 1 == 0 ? nil : [0x0D, 0x0A]))
  detect(bytes)
  return 0
}

private func run(_ bytes: ArraySlice<UInt8>, on machine: some TransferMachine) {
  var driver = TransferDriver(machine)
  driver.handle(.begun)
  var rest = bytes
  while driver.end == nil, let operation = rest.popFirst() { driver.perform(operation, &rest) }
  driver.runToItsEnd()
}

extension TransferDriver {
  /// An operation of the input, with what follows it.
  mutating func perform(_ operation: UInt8, _ rest: inout ArraySlice<UInt8>) {
    func next(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    now += .milliseconds(Int(operation >> 4) * 40)
    switch operation & 15 {
    case 0, 1: receive(next(Int(operation >> 4) + 1))
    // A request or an answer.
    case 2, 3: receive([[0x43, 0x15, 0x47, 0x06, 0x18][Int(operation >> 4) % 5]])
    case 4, 5, 6:
      let contents = next(1 + Int(operation >> 4))
      if contents.isEmpty { return }
      let check: Block.Check = operation & 128 == 0 ? .crc : .sum
      receive(Block.encoded(contents, number: next(1).first ?? 1, check: check))
    case 7: receive([0x04])
    default: happen(operation, isRare: operation > 0xF0)
    }
  }
}

private func detect(_ bytes: [UInt8]) {
  var detector = OfferDetector()
  for (index, _) in bytes.enumerated() {
    let piece = bytes[index..<min(index + Int(bytes[index] & 31), bytes.count)]
    piece.withUnsafeBytes { detector.receive($0, at: .milliseconds(index * 500)) }
  }
}
