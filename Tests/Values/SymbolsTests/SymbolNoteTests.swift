import Symbols
import Testing

@Suite struct SymbolNoteTests {
  @Test func eachFrameHasALine() {
    let note = SymbolNote(
      0x400D_1234,
      [
        SourceFrame(function: "inner", place: "a.h:7"),
        SourceFrame(function: "app_main", place: nil),
      ], has64Bits: false)
    #expect(
      note?.lines == ["    0x400d1234: inner at a.h:7", "               inlined into app_main"])
  }

  @Test func anAddressOf32BitsHasAllDigits() {
    let frames = [SourceFrame(function: "f", place: nil)]
    #expect(SymbolNote(0x1234, frames, has64Bits: false)?.address == "0x00001234")
    #expect(SymbolNote(0x401234, frames, has64Bits: true)?.address == "0x401234")
    #expect(SymbolNote(0x1234, [], has64Bits: false) == nil)
  }

  @Test func textOfAnotherProgramIsHarmlessAndShort() {
    let long = String(repeating: "f", count: 10_000)
    let note = SymbolNote(
      1, [SourceFrame(function: "\u{1B}[2Jx\n", place: long)], has64Bits: true)
    let line = note?.lines.first ?? ""
    #expect(line.hasPrefix("    0x1: \u{FFFD}[2Jx\u{FFFD} at ffff"))
    #expect(line.utf8.count < 400)
  }
}
