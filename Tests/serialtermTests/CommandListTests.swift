import SerialCore
import SystemPackage
import TerminalUI
import Testing

@testable import serialterm

@Suite struct CommandListTests {
  private func lines(_ state: TerminalState, columns: Int) -> [String] {
    CommandList(state: state, prefix: .standard).lines(style: .plain, columns: columns)
  }

  @Test func everyLineFits_in80Columns_inEveryState() {
    var released = TerminalState()
    released.session = .released("/dev/ttyUSB0")
    for state in [TerminalState(), released] {
      #expect(lines(state, columns: 80).allSatisfy { $0.count <= 80 })
    }
  }

  @Test func whereThereIsNoRoom_theReasonStaysAndTheWordsGo() {
    let line = lines(TerminalState(), columns: 40).first { $0.contains("pulse-line") }
    #expect(line == "  p  pulse-line         (off: no device)")
    let mapping = lines(TerminalState(), columns: 40).first { $0.contains("mapping") }
    #expect(mapping == "  m  mapping")
  }

  @Test func whatStandsAtTheSide_isInOneColumn() {
    let columns = lines(TerminalState(), columns: 80).compactMap { line in
      line.firstRange(of: "(off").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
    #expect(Set(columns).count == 1)
  }

  @Test func palette_endsWithWhatEverybodyKnows() {
    let names = CommandList.choices(in: TerminalState()).map(\.id)
    #expect(names.suffix(2) == ["help", "quit"])
    #expect(Set(names).count == Command.allCases.count - 1)
  }
}
