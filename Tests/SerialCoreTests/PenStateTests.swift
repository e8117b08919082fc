import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct PenStateTests {
  private let file = Author.file("image.bin")
  private var pen = PenState()

  @Test mutating func oneAuthorAtATime_hasThePen() throws {
    pen.owner = .keyboard
    let taken = pen.take(for: file, outlivesLoss: false)
    let number = try #require(taken)
    let second = pen.take(for: .program, outlivesLoss: false)
    #expect(second == nil)
    #expect(pen.writer == file)
    pen.owner = .pipe
    #expect(pen.writer == file)
    pen.putBack(number)
    #expect(pen.writer == .pipe)
  }

  @Test mutating func puttingBackAPenTwice_leavesTheNextOne() throws {
    let taken = pen.take(for: file, outlivesLoss: false)
    let number = try #require(taken)
    pen.putBack(number)
    _ = pen.take(for: .keyboard, outlivesLoss: false)
    pen.putBack(number)
    #expect(pen.writer == .keyboard)
  }

  @Test(arguments: [(true, true, true), (true, false, false), (false, true, false)])
  mutating func aPen_outlivesALossAlone(outlives: Bool, isLoss: Bool, isKept: Bool) {
    _ = pen.take(for: file, outlivesLoss: outlives)
    pen.portWasClosed(byLoss: isLoss)
    #expect(pen.writer == (isKept ? file : .program))
  }
}
