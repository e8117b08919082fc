import Posix
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct LogGapTests {
  private let folder: TemporaryFolder
  private let log: Log

  init() throws {
    folder = try TemporaryFolder()
    var options = Log.Options()
    options.format = .jsonl
    log = try Log(LogName(folder.path.appending("log").string, port: "x"), options: options)
  }

  private func append(_ count: Int) {
    [UInt8](repeating: 0x78, count: count).withUnsafeBytes { log.append($0, .fromDevice) }
  }

  /// Closes the log.
  ///
  /// - Returns: whether each of its lines is a gap.
  private func linesAreGaps() throws -> [Bool] {
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    return try log.path.contents().split(separator: 0x0A).map {
      String(decoding: $0, as: UTF8.self).contains(#""event":"gap","missing":\#(Log.capacity)}"#)
    }
  }

  /// A record that is larger than the buffer never fits, however fast the disk is.
  @Test func gap_isMarked_beforeTheNextBytes() throws {
    append(1)
    append(Log.capacity)
    append(1)
    #expect(try linesAreGaps() == [false, true, false])
    #expect(log.missingCount == Log.capacity)
  }

  @Test func gapThatNothingFollows_isMarkedToo() throws {
    append(1)
    append(Log.capacity)
    #expect(try linesAreGaps() == [false, true])
    #expect(log.missingCount == Log.capacity)
  }
}
