import Sessions
import Testing

@testable import serialterm

/// The lines of `--progress plain`.
@Suite struct PlainProgressTests {
  private func status(_ position: Int, of size: Int?, number: Int = 1) -> TransferStatus {
    var status = TransferStatus()
    (status.name, status.number) = (Array("a.bin".utf8), number)
    (status.position, status.size) = (position, size)
    return status
  }

  private func lines(_ all: [TransferStatus]) -> [String] {
    var progress = PlainProgress()
    return all.compactMap { progress.line(of: $0) }
  }

  @Test func `Each tenth has one line, except the last`() {
    #expect(
      lines((0...1_000).map { status($0, of: 1_000) })
        == (1...9).map { "a.bin \($0 * 10) %" })
    // Of a file that arrives in two pieces.
    #expect(lines([status(600, of: 1_000), status(1_000, of: 1_000)]) == ["a.bin 60 %"])
    #expect(lines([status(0, of: 0)]) == [])
  }

  @Test func `Each file starts again`() {
    #expect(
      lines([status(500, of: 1_000), status(500, of: 1_000, number: 2)]) == [
        "a.bin 50 %", "a.bin 50 %",
      ])
  }

  @Test func `Without a size, the number of bytes doubles from line to line`() {
    #expect(
      lines(stride(from: 0, through: 300_000, by: 1_000).map { status($0, of: nil) })
        == ["a.bin, 66,000 bytes", "a.bin, 132,000 bytes", "a.bin, 263,000 bytes"])
    #expect(lines([status(.max, of: nil), status(.max, of: nil)]).count == 2)
  }

  @Test func `The wait for the other side has one line`() {
    #expect(
      lines([TransferStatus(), TransferStatus()]) == ["waiting for the receiver"])
  }
}
