import Plotting
import Scrollback
import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct ScrollbackTableTests {
  /// The lines of a port, each with its time in milliseconds.
  private func copy(_ lines: [(UInt64, String)]) -> ScrollbackCopy {
    let scrollback = Scrollback(capacity: 1 << 20)
    for (time, line) in lines {
      Array(line.utf8).withUnsafeBytes { scrollback.add($0, at: time * 1_000_000) }
    }
    return ScrollbackCopy(of: scrollback)
  }

  private func table(
    of ports: [(String?, ScrollbackCopy)], as form: SampleForm? = .pairs,
    in times: ClosedRange<Double>? = nil
  ) throws -> String {
    var output: [UInt8] = []
    try ScrollbackTable(of: ports, as: form, in: times).write { piece throws(Errno) in
      output += piece
    }
    return String(decoding: output, as: UTF8.self)
  }

  @Test func `All series are in the first line, and a line without an end is left out`() throws {
    let lines = copy([
      (1_000, "a=1\n"), (2_500, "text\n"), (3_000, "b=2.50\n"), (4_000, "a=3\n"), (5_000, "a=4"),
    ])
    #expect(
      try table(of: [("A", lines)]) == """
        time,a,b
        1.000000,1,
        3.000000,,2.50

        """ + "4.000000,3,\n")
    #expect(try table(of: [(nil, copy([]))]) == "time\n")
    #expect(try table(of: []) == "time\n")
  }

  @Test func `The form is found if none was chosen`() throws {
    let lines = copy([(1_000, "boot\n"), (2_000, "1,2\n"), (3_000, "3,4\n"), (4_000, "5,6\n")])
    #expect(
      try table(of: [(nil, lines)], as: nil)
        == "time,value 1,value 2\n2.000000,1,2\n3.000000,3,4\n4.000000,5,6\n")
  }

  @Test func `The times are limited to those that were seen, with their first millisecond`() throws
  {
    let lines = copy((1...5).map { ($0 * 1_000, "a=\($0)\n") })
    #expect(try table(of: [(nil, lines)], in: 2...3) == "time,a\n2.000000,2\n3.000000,3\n")
    #expect(
      try table(of: [(nil, lines)], in: 2.0004...3.9) == "time,a\n2.000000,2\n3.000000,3\n")
    #expect(try table(of: [(nil, lines)], in: 2.001...2.999) == "time,a\n")
  }

  @Test func `The lines of several ports are in the order of their times`() throws {
    let first = copy([(1_000, "a=1\n"), (3_000, "a=3\n"), (3_000, "a=4\n")])
    let second = copy([(500, "a=5\n"), (3_000, "b=6\n"), (4_000, "a=7\n")])
    #expect(
      try table(of: [("A", first), ("B", second)]) == """
        time,A: a,B: a,B: b
        0.500000,,5,
        1.000000,1,,
        3.000000,3,,
        3.000000,4,,
        3.000000,,,6
        4.000000,,7,

        """)
  }

  @Test func `A long table is written in pieces`() throws {
    let lines = copy((0..<20_000).map { ($0, "a=\($0)\n") })
    var (sizes, count) = ([Int](), 0)
    try ScrollbackTable(of: [(nil, lines)], as: .pairs, in: nil).write { piece throws(Errno) in
      sizes.append(piece.count)
      count += piece.count { $0 == 0x0A }
    }
    #expect(count == 20_001)
    #expect(sizes.count > 3 && sizes.dropLast().allSatisfy { (65_536..<70_000).contains($0) })
  }
}
