import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct ModemLinesTests {
  @Test func names_areThoseThatAreAsserted_inOrder() {
    #expect(ModemLines([.ri, .dtr, .cts]).description == "DTR CTS RI")
    #expect(ModemLines().description == "none")
  }

  @Test func everyLine_isEitherAnOutputOrAnInput() {
    let all = ModemLines(ModemLines.named.map(\.line))
    #expect(ModemLines.outputs.isDisjoint(with: .inputs))
    #expect(ModemLines.outputs.union(.inputs) == all)
  }

  /// The kernel's numbers: see <asm-generic/termios.h>.
  private static let numbers: [(CInt, ModemLines)] = [
    (0x002, ModemLines.dtr), (0x004, .rts), (0x020, .cts), (0x040, .dcd), (0x080, .ri),
    (0x100, .dsr), (0x6000, []), (0x126, [.dtr, .rts, .cts, .dsr]),
  ]

  @Test(arguments: numbers) func bits_areTheKernels(bits: CInt, lines: ModemLines) {
    #expect(ModemLines(bits: bits) == lines)
  }
}
