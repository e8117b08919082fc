import Symbols
import Testing

@Suite struct ELFFileTests {
  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func bothClassesAndByteOrders(_ is64: Bool, _ isBig: Bool) throws {
    let file = try ELFFile(reader(of: Image(is64: is64, isBig: isBig).bytes))
    #expect(file.machine == .riscv)
    #expect(file.has64Bits == is64)
    #expect(file.code == [0x4000_0000..<0x4000_1000])
    #expect(file.hasLines)
    #expect(file.hasSymbols)
    #expect(file.buildID == [0xAB, 0xCD])
  }

  @Test func onlyExecutableSectionsCount() throws {
    let file = try ELFFile(reader(of: Image().bytes))
    #expect(file.isCode(0x4000_0000))
    #expect(file.isCode(0x4000_0FFF))
    #expect(!file.isCode(0x4000_1000))
    #expect(!file.isCode(0x3FFF_FFFF))
    // The data.
    #expect(!file.isCode(0x2000_0000))
    #expect(!file.isCode(.max))
  }

  @Test func thumbBitIsNotPartOfAnAddress() throws {
    let arm = try ELFFile(reader(of: Image(machine: 40).bytes))
    #expect(arm.lookup(0x4000_0101) == 0x4000_0100)
    #expect(arm.isCode(0x4000_0FFF))
    let riscv = try ELFFile(reader(of: Image().bytes))
    #expect(riscv.lookup(0x4000_0101) == 0x4000_0101)
  }

  @Test func otherFilesAreRefused() {
    #expect(throws: ELFError.notELF) { try ELFFile(reader(of: [])) }
    #expect(throws: ELFError.notELF) {
      try ELFFile(reader(of: Array("#!/bin/sh\necho 12345\n".utf8)))
    }
    #expect(throws: ELFError.noCode) { try ELFFile(reader(of: Image(flags: 2).bytes)) }
  }

  @Test(arguments: [false, true])
  func numberOfSectionsInTheFirstOne(_ is64: Bool) throws {
    let file = try ELFFile(reader(of: Image(is64: is64, countInFirst: 7).bytes))
    #expect(file.code == [0x4000_0000..<0x4000_1000])
    // More sections than any file has: so much is not even asked for.
    let read = reader(of: Image(is64: is64, countInFirst: 1 << 30).bytes)
    var most = 0
    #expect(throws: ELFError.damaged) {
      try ELFFile { (offset, count) throws(ELFError) in
        most = max(most, count)
        return try read(offset, count)
      }
    }
    #expect(most <= 16 << 20)
  }

  @Test(arguments: [false, true])
  func cutFilesDoNotTrap(_ is64: Bool) {
    let whole = Image(is64: is64).bytes
    for count in whole.indices {
      // Whether it throws depends on what was cut.
      _ = try? ELFFile(reader(of: Array(whole[..<count])))
    }
  }

  @Test(arguments: [false, true])
  func everyByteMayBeWrong(_ is64: Bool) {
    let whole = Image(is64: is64).bytes
    for index in whole.indices {
      for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
        var damaged = whole
        damaged[index] = value
        _ = try? ELFFile(reader(of: damaged))
      }
    }
  }

  @Test func rangeAtTheEndOfTheAddressSpace() throws {
    let file = try ELFFile(reader(of: Image(is64: true, address: .max - 15).bytes))
    #expect(file.code == [(UInt64.max - 15)..<UInt64.max])
  }

  @Test func programsOfMachines() {
    #expect(ELFMachine(number: 40).programs.first == "arm-none-eabi-addr2line")
    #expect(ELFMachine(number: 94).programs.contains("xtensa-lx106-elf-addr2line"))
    #expect(ELFMachine(number: 62).programs.first == "addr2line")
    #expect(ELFMachine(number: 999).programs == ["addr2line", "llvm-addr2line"])
  }

  private func reader(of bytes: [UInt8]) -> ELFFile.Reader {
    { (offset, count) throws(ELFError) in
      guard offset < UInt64(bytes.count) else { return [] }
      return Array(bytes[Int(offset)...].prefix(count))
    }
  }
}

/// A file with code, data, symbols, a build ID and the names of its sections.
private struct Image {
  var is64 = false
  var isBig = false
  var machine: UInt64 = 243
  /// SHF_ALLOC and SHF_EXECINSTR.
  var flags: UInt64 = 6
  var address: UInt64 = 0x4000_0000
  /// The number of sections, if the first section has it and not the header: that of a file with
  /// more than 65,279.
  var countInFirst: UInt64?

  var bytes: [UInt8] {
    let names = Array("\0.debug_line\0".utf8)
    let note = number(4, 4) + number(2, 4) + number(3, 4) + Array("GNU\0".utf8) + [0xAB, 0xCD]
    let word = is64 ? 8 : 4
    let header = is64 ? 64 : 52
    let namesAt = header
    let noteAt = namesAt + names.count
    let tableAt = noteAt + note.count
    func section(
      _ name: UInt64, _ kind: UInt64, _ flags: UInt64, _ address: UInt64, _ at: Int, _ size: Int
    ) -> [UInt8] {
      number(name, 4) + number(kind, 4) + number(flags, word) + number(address, word)
        + number(UInt64(at), word) + number(UInt64(size), word) + number(0, 4) + number(0, 4)
        + number(0, word) + number(0, word)
    }
    let sections = [
      section(0, 0, 0, 0, 0, Int(countInFirst ?? 0)), section(0, 1, flags, address, 0, 0x1000),
      section(0, 1, 3, 0x2000_0000, 0, 0x1000), section(0, 2, 0, 0, 0, 0),
      section(0, 7, 2, 0, noteAt, note.count), section(1, 1, 0, 0, 0, 0),
      section(0, 3, 0, 0, namesAt, names.count),
    ]
    var start: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, is64 ? 2 : 1, isBig ? 2 : 1, 1]
    start += [UInt8](repeating: 0, count: 9)
    start += number(2, 2) + number(machine, 2) + number(1, 4) + number(0, word) + number(0, word)
    start += number(UInt64(tableAt), word) + number(0, 4) + number(UInt64(header), 2)
    start += number(0, 2) + number(0, 2) + number(is64 ? 64 : 40, 2)
    start += number(countInFirst == nil ? UInt64(sections.count) : 0, 2)
    start += number(UInt64(sections.count - 1), 2)
    return start + names + note + sections.flatMap { $0 }
  }

  private func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    return isBig ? bytes.reversed() : bytes
  }
}
