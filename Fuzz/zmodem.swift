/// Whatever the other side sends, and whatever happens: ZMODEM's sender and receiver do not crash, answer with a
/// bounded number of bytes, hold a bounded number, and end if nothing more comes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  var conditions = TransferConditions(bytesPerSecond: first & 1 == 0 ? nil : 11_520)
  conditions.escapesControls = first & 2 != 0
  conditions.largestFile = first & 4 == 0 ? nil : 4_000
  let window = first & 8 == 0 ? nil : 1_000
  run(bytes.dropFirst(), on: ZmodemSender(conditions: conditions, window: window))
  run(bytes.dropFirst(), on: ZmodemReceiver(conditions: conditions))
  return 0
}

private func run(_ bytes: ArraySlice<UInt8>, on machine: some TransferMachine) {
  var driver = TransferDriver(machine)
  var encoder = ZmodemEncoder()
  driver.handle(.begun)
  var rest = bytes
  while driver.end == nil, let operation = rest.popFirst() {
    driver.perform(operation, &rest, &encoder)
  }
  driver.runToItsEnd()
}

extension TransferDriver {
  /// An operation of the input, with what follows it.
  mutating func perform(
    _ operation: UInt8, _ rest: inout ArraySlice<UInt8>, _ encoder: inout ZmodemEncoder
  ) {
    func next(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func number() -> Int { next(2).reduce(0) { $0 << 8 | Int($1) } }
    now += .milliseconds(Int(operation >> 4) * 40)
    switch operation & 15 {
    case 0, 1: receive(next(Int(operation >> 4) + 1))
    case 2, 3, 4:
      let frame = ZmodemFrame(rawValue: next(1).first ?? 0) ?? .zrpos
      encoder.usesCRC32 = operation & 16 != 0
      let header = ZmodemHeader(frame, number() << (operation & 32 != 0 ? 16 : 0))
      if operation & 64 != 0 { return receive(ZmodemEncoder.hex(header)) }
      encoder.append(header)
      receive(encoder.flush())
    case 5, 6:
      let kind = ZmodemEnd(rawValue: 0x68 + operation >> 4 & 3) ?? .waits
      encoder.append(next(Int(next(1).first ?? 0) & 31), end: kind)
      receive(encoder.flush())
    case 7:
      // A file, as a sender offers it.
      encoder.append(ZmodemHeader(.zfile))
      encoder.append(next(2) + [0] + Array("\(number())".utf8) + [0], end: .waits)
      receive(encoder.flush())
    case 8: wake()
    case 9: acceptSent(Int(operation >> 4) * 100)
    case 10:
      toggleLoss()
    case 11: partialCount = number()
    case 12: if operation > 0xF0 { handle(.stopped) } else { wake() }
    case 13: if operation > 0xF0 { handle(.storageFailed) } else { acceptSent(.max) }
    default: receive([UInt8](repeating: operation, count: 300))
    }
  }
}
