import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct PensTests {
  private let file = Author.file("image.bin")
  private var pens = Pens()

  @Test mutating func oneAuthorAtATime_hasThePen() throws {
    pens.owner = .keyboard
    let taken = pens.take(for: file, outlivesLoss: false)
    let number = try #require(taken)
    let second = pens.take(for: .program, outlivesLoss: false)
    #expect(second == nil)
    #expect(pens.writer == file)
    pens.owner = .pipe
    #expect(pens.writer == file)
    pens.putBack(number)
    #expect(pens.writer == .pipe)
  }

  @Test mutating func puttingBackAPenTwice_leavesTheNextOne() throws {
    let taken = pens.take(for: file, outlivesLoss: false)
    let number = try #require(taken)
    pens.putBack(number)
    _ = pens.take(for: .keyboard, outlivesLoss: false)
    pens.putBack(number)
    #expect(pens.writer == .keyboard)
  }

  @Test(arguments: [(true, true, true), (true, false, false), (false, true, false)])
  mutating func aPen_outlivesALossAlone(outlives: Bool, isLoss: Bool, isKept: Bool) {
    _ = pens.take(for: file, outlivesLoss: outlives)
    pens.portWasClosed(byLoss: isLoss)
    #expect(pens.writer == (isKept ? file : .program))
  }
}
