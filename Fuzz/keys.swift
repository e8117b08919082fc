/// Keys: any bytes are decoded, however they are cut, and nothing is pending after a pause.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeys(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let all = UnsafeBufferPointer(start: bytes, count: count)
  let pieceLength = Int(all.first ?? 0) % 7 + 1
  var decoder = KeyDecoder()
  for start in stride(from: 0, to: count, by: pieceLength) {
    _ = decoder.decode(all[start..<min(start + pieceLength, count)])
  }
  _ = decoder.flush()
  precondition(!decoder.isPending)
  var first = KeyDecoder()
  var rest = all[...]
  while !rest.isEmpty {
    let (_, used) = first.decodeFirst(of: rest)
    precondition(used > 0 && used <= rest.count)
    rest = rest.dropFirst(used)
  }
  return 0
}
