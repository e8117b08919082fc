/// Any text of a device, any file, and any output of addr2line: the work is bounded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  fuzzLines(bytes)
  fuzzFile(bytes)
  fuzzAnswers(bytes)
  fuzzFolder(bytes)
  return 0
}

private func fuzzLines(_ bytes: [UInt8]) {
  var finder = AddressFinder()
  for line in bytes.split(separator: 0x0A).map(Array.init) {
    let found = finder.addresses(in: line) { $0 & 1 == 0 }
    precondition(found.count <= AddressFinder.maximumAddresses && Set(found).count == found.count)
    precondition(found.allSatisfy { $0 & 1 == 0 })
    if let report = BootReport(in: line) { precondition(!report.fits([])) }
  }
}

private func fuzzFile(_ bytes: [UInt8]) {
  func read(_ offset: UInt64, _ count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= 16 << 20)
    guard offset < UInt64(bytes.count) else { return [] }
    return Array(bytes[Int(offset)...].prefix(count))
  }
  guard let file = try? ELFFile({ (offset, count) throws(ELFError) in read(offset, count) }) else { return }
  for range in file.code {
    precondition(file.isCode(range.lowerBound & ~1) || range.lowerBound & 1 == 1 || file.machine != .arm)
  }
  _ = file.isCode(0)
  _ = file.isCode(.max)
}

private func fuzzAnswers(_ bytes: [UInt8]) {
  var answers = SymbolAnswers()
  var cache = SymbolCache(capacity: 8)
  for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
    guard let (address, frames) = answers.receive(line) else { continue }
    precondition(address != SymbolAnswers.mark && frames.count <= SymbolAnswers.maximumFrames)
    cache.keep(frames, at: address)
    precondition(cache.frames(at: address) == frames && cache.count <= 8)
    guard let note = SymbolNote(address, frames, has64Bits: false) else { continue }
    precondition(note.lines.count == frames.count)
    // Nothing in it controls a terminal.
    precondition(note.lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } })
  }
}

private func fuzzFolder(_ bytes: [UInt8]) {
  let names = ["project_description.json", "CMakeCache.txt", "domains.yaml", "zephyr", "zephyr.elf", "a.elf"]
  let found = BuildFolder(list: { _ in names }, read: { _ in bytes }).find()
  precondition(found.allSatisfy { !$0.path.isEmpty && $0.program?.contains("/") != true })
}
