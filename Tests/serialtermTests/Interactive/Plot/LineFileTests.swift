import Glibc
import Posix
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct LineFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func lines(_ bytes: [UInt8]) throws -> [[UInt8]] {
    let file = try LineFile(folder.write("file", bytes).string)
    #expect(file.isRegular)
    return try rest(of: file)
  }

  private func rest(of file: LineFile) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    while let line = try file.next() { lines.append(Array(line)) }
    #expect(try file.next() == nil)
    return lines
  }

  @Test(arguments: [
    ("", []), ("\n", ["\n"]), ("a\nb\n", ["a\n", "b\n"]), ("a\nb", ["a\n", "b"]),
    ("a\r\n\nb\r", ["a\r\n", "\n", "b\r"]),
  ])
  func `Lines are read with their ends`(_ text: String, _ expected: [String]) throws {
    #expect(try lines(Array(text.utf8)) == expected.map { Array($0.utf8) })
  }

  @Test func `A long line is read in pieces, and nothing is lost`() throws {
    let size = 262_144
    let long = [UInt8](repeating: 0x61, count: 2 * size + 10) + [0x0A]
    let pieces = try lines([0x62, 0x0A] + long + [0x63, 0x0A, 0x64])
    #expect(pieces.first == [0x62, 0x0A])
    #expect(pieces.suffix(2) == [[0x63, 0x0A], [0x64]])
    let middle = pieces.dropFirst().dropLast(2)
    #expect(difference(Array(middle.joined()), from: long) == nil)
    #expect(middle.dropLast().allSatisfy { $0.count == size })
    // A line that just fits.
    let exact = [UInt8](repeating: 0x61, count: size - 1) + [0x0A]
    #expect(try lines(exact + exact).map(\.count) == [size, size])
  }

  @Test func `Many lines are read over the edge of the buffer`() throws {
    let bytes = (0..<50_000).flatMap { Array("\($0)\n".utf8) }
    let read = try lines(bytes)
    #expect(read.count == 50_000)
    #expect(difference(Array(read.joined()), from: bytes) == nil)
  }

  @Test func `A look ahead consumes nothing`() throws {
    let file = try LineFile(folder.write("file", Array("a\nbc\n".utf8)).string)
    #expect(try file.peek().first == 0x61)
    #expect(try file.peek().starts(with: Array("a\n".utf8)))
    #expect(try rest(of: file) == [Array("a\n".utf8), Array("bc\n".utf8)])
    #expect(try file.peek().isEmpty)
    #expect(try LineFile(folder.write("empty", []).string).peek().isEmpty)
  }

  @Test func `A pipe is read until its end`() throws {
    let pipe = folder("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    let writer = try FileDescriptor.open(pipe, .readWrite)
    _ = try writer.writeAll("a\nb".utf8)
    let file = try LineFile(pipe.string)
    #expect(!file.isRegular)
    #expect(try file.next().map { Array($0) } == Array("a\n".utf8))
    _ = try writer.writeAll("c\nd".utf8)
    #expect(try file.next().map { Array($0) } == Array("bc\n".utf8))
    try writer.close()
    #expect(try rest(of: file) == [Array("d".utf8)])
  }

  @Test func `A folder cannot be read`() throws {
    let failure = #expect(throws: Failure.self) {
      let file = try LineFile(folder.path.string)
      _ = try file.next()
    }
    #expect(failure?.message.hasPrefix(folder.path.string) == true)
  }
}
