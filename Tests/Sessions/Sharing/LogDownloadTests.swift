import Posix
import SerialCore
import SystemPackage
import Telnet
import TestSupport
import Testing

@testable import Sessions

/// The log of a session, as those who have joined read it.
@Suite(.timeLimit(.minutes(30))) struct LogDownloadTests {
  private typealias Result = Swift.Result<LogDownload.Piece, LogDownload.Failure>
  private let folder: TemporaryFolder
  private let bench: SharingBench
  private var file: FilePath { folder("board.log") }
  private var size: Int? { (try? file.stat()).map { Int($0.size) } }
  private let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 % 256) }

  init() throws {
    folder = try TemporaryFolder()
    bench = try SharingBench()
  }

  /// Logs what the device sends.
  private func log() throws {
    try bench.controller.log.switchOn(in: file, appending: false)
    for start in stride(from: 0, to: bytes.count, by: 1_000) {
      bench.deviceSends(Array(bytes[start..<start + 1_000]))
    }
    #expect(try bench.wait { size == bytes.count })
    bench.controller.sharing.refusals = [:]
  }

  /// A member who knows that the log is shared.
  private func member() throws -> SharingBench.Viewer {
    let anna = try bench.viewer(named: "anna")
    #expect(try bench.wait { anna.sharing.refusals.isEmpty })
    return anna
  }

  private func read(
    _ count: Int = .max, from offset: Int, by member: SharingBench.Viewer
  ) throws -> Result {
    var answer: Result?
    member.controller.userSharing.readLog(count, from: offset) { answer = $0 }
    #expect(try bench.wait { answer != nil })
    return try #require(answer)
  }

  private func text(_ result: Result) -> String? {
    if case .failure(let failure) = result { failure.text } else { nil }
  }

  @Test func `A member reads all of it, in pieces, and the owner learns it once`() throws {
    try log()
    let anna = try member()
    var (read, pieces) = ([UInt8](), 0)
    while read.count < bytes.count {
      let piece = try self.read(from: read.count, by: anna).get()
      #expect(piece.size == bytes.count && piece.name == "board.log")
      try #require(!piece.bytes.isEmpty && piece.bytes.count <= LogDownload.longestPiece)
      (read, pieces) = (read + piece.bytes, pieces + 1)
    }
    #expect(read == bytes && pieces == 3)
    let reports = bench.news.filter {
      if case .client("anna", .readsLog) = $0 { true } else { false }
    }
    #expect(reports.count == 1)
    // It sees what the device sends meanwhile.
    #expect(!(try self.read(7, from: 0, by: anna).get().bytes.isEmpty))
    bench.deviceSends(Array("go on".utf8))
    #expect(try bench.wait { anna.received.suffix(5) == Array("go on".utf8) })
  }

  @Test func `The owner itself reads it in the same way`() throws {
    try log()
    var answer: Result?
    bench.controller.userSharing.readLog(100, from: 0) { answer = $0 }
    #expect(try bench.wait { answer != nil })
    #expect(try answer?.get().bytes == Array(bytes.prefix(100)))
  }

  @Test func `It is refused until it is shared, and when it is not shared any more`() throws {
    try log()
    bench.controller.sharing.refusals = Sharing.Refusal.initial
    let anna = try bench.viewer(named: "anna")
    #expect(anna.sharing.refusals == Sharing.Refusal.initial)
    #expect(text(try read(from: 0, by: anna)) == "the session's log is not shared")
    bench.controller.sharing.refusals = [:]
    #expect(try bench.wait { anna.sharing.refusals.isEmpty })
    #expect(try read(from: 0, by: anna).get().bytes.count == LogDownload.longestPiece)
    bench.controller.sharing.refusals = [.sharedLog: .init(code: "no-log", text: "no log is on")]
    #expect(text(try read(from: LogDownload.longestPiece, by: anna)) == "no log is on")
  }

  @Test func `Who has only opened the port does not get it`() throws {
    try log()
    let max = try bench.person(isReadOnly: true)
    #expect(max.sharing.refusals.isEmpty)
    var answer: Result?
    max.controller.userSharing.remote?.readLog(1, from: 0) { answer = $0 }
    #expect(try bench.wait { answer != nil })
    #expect(text(try #require(answer)) == "the session's log is not shared")
  }

  @Test func `A reading that has begun goes on in the same file`() throws {
    try log()
    let anna = try member()
    _ = try read(from: 0, by: anna)
    // As long as it was at the beginning.
    bench.deviceSends(Array("more".utf8))
    #expect(try bench.wait { size == bytes.count + 4 })
    try file.rename(to: folder("elsewhere"))
    let piece = try read(from: 39_000, by: anna).get()
    #expect(piece.bytes == Array(bytes[39_000...]) && piece.size == bytes.count)
    // Also behind its end.
    #expect(try read(1, from: 5, by: anna).get().bytes == [5])
    #expect(try read(from: 0, by: anna).get().size == bytes.count + 4)
  }

  @Test func `It is the file that is written, whatever its path leads to`() throws {
    try log()
    let anna = try member()
    try file.rename(to: folder("elsewhere"))
    #expect(try read(from: 0, by: anna).get().bytes.prefix(256) == bytes.prefix(256))
    let other = try FileDescriptor.open(
      file, .writeOnly, options: .create, permissions: .ownerReadWrite)
    _ = try other.closeAfter { try other.writeAll("secret".utf8) }
    #expect(try read(from: 0, by: anna).get().bytes.prefix(256) == bytes.prefix(256))
  }

  @Test func `Another log, and the end of sharing, end the reading`() throws {
    try log()
    let anna = try member()
    let logger = bench.controller.log
    _ = try read(from: 0, by: anna)
    logger.switchOff()
    try logger.switchOn(in: folder("other.log"), appending: false)
    #expect(text(try read(from: 16_384, by: anna)) == "a reading begins at the offset 0")
    bench.deviceSends(Array("more".utf8))
    #expect(try bench.wait { (try? folder("other.log").stat())?.size == 4 })
    #expect(try read(from: 0, by: anna).get().size == 4)
    bench.controller.sharing.refusals = Sharing.Refusal.initial
    #expect(text(try read(from: 1, by: anna)) == "the session's log is not shared")
    bench.controller.sharing.refusals = [:]
    #expect(text(try read(from: 1, by: anna)) == "a reading begins at the offset 0")
    // The owner learns it again.
    _ = try read(from: 0, by: anna)
    let reports = bench.news.filter {
      if case .client("anna", .readsLog) = $0 { true } else { false }
    }
    #expect(reports.count == 2)
  }

  @Test func `A log that another program has cut off is said to be so`() throws {
    try log()
    let anna = try member()
    _ = try read(from: 0, by: anna)
    let other = try FileDescriptor.open(file, .writeOnly, options: .truncate)
    try other.close()
    #expect(
      text(try read(from: 20_000, by: anna)) == "another program has truncated the log")
  }

  @Test func `Odd requests get an answer`() throws {
    let anna = try bench.viewer(named: "anna")
    bench.controller.sharing.refusals = [:]
    #expect(try bench.wait { anna.sharing.refusals.isEmpty })
    #expect(text(try read(from: 0, by: anna)) == "no log is on")
    try log()
    #expect(text(try read(from: .max, by: anna)) == "a reading begins at the offset 0")
    #expect(try read(0, from: 0, by: anna).get().bytes.isEmpty)
    _ = try read(1, from: 0, by: anna)
    let piece = try read(from: .max, by: anna).get()
    #expect(piece.bytes.isEmpty && piece.size == bytes.count)
  }

  @Test func `The last of several requests at once is answered`() throws {
    try log()
    let anna = try member()
    var answers: [Int] = []
    for index in 1...5 {
      anna.controller.userSharing.readLog(10 * index, from: 0) { result in
        answers.append((try? result.get().bytes.count) ?? -1)
      }
    }
    #expect(try bench.wait { !answers.isEmpty })
    #expect(answers.count == 1)
    // The pieces of the others may come, too: they are not mixed with the next.
    #expect(try read(from: 0, by: anna).get().bytes == Array(bytes[..<LogDownload.longestPiece]))
  }

  @Test func `Who leaves gets no answer, and holds nothing up`() throws {
    try log()
    var anna: SharingBench.Viewer? = try member()
    anna?.controller.userSharing.readLog(.max, from: 0) { _ in Issue.record("an answer") }
    anna?.controller.session.close()
    anna = nil
    let bert = try bench.viewer(named: "bert")
    #expect(try bench.wait { bert.sharing.refusals.isEmpty })
    #expect(try read(from: 0, by: bert).get().size == bytes.count)
  }
}

@Suite struct FarLogPieceTests {
  private let piece = FarLogPiece()

  private final class Answers {
    var all: [Result<LogDownload.Piece, LogDownload.Failure>] = []
  }

  @Test func `More bytes than a piece has are not believed`() {
    let answers = Answers()
    piece.begin(5, at: 0) { answers.all.append($0) }
    for _ in 0..<1_000 { piece.add([UInt8](repeating: 0, count: 200)) }
    piece.end(at: 0, size: 1 << 40, name: "log")
    #expect(
      answers.all == [.failure(LogDownload.Failure("the session has sent too much of its log"))])
  }

  @Test func `What was asked for before is not taken for the next piece`() {
    let answers = Answers()
    piece.begin(5, at: 16_384) { answers.all.append($0) }
    piece.begin(5, at: 0) { answers.all.append($0) }
    piece.add([9, 9])
    piece.end(at: 16_384, size: 20_000, name: "old")
    piece.fail(at: 16_384, because: "old")
    #expect(answers.all.isEmpty)
    piece.add([1, 2])
    piece.end(at: 0, size: .max, name: "log")
    piece.end(at: 0, size: 1, name: "again")
    #expect(answers.all == [.success(LogDownload.Piece([1, 2], ofSize: .max, name: "log"))])
  }

  @Test func `No more than was asked for is passed on, and not nothing`() {
    let answers = Answers()
    piece.begin(2, at: 0) { answers.all.append($0) }
    piece.add([1, 2, 3])
    piece.end(at: 0, size: 9, name: "log")
    piece.begin(2, at: 5) { answers.all.append($0) }
    piece.end(at: 5, size: 9, name: "log")
    piece.begin(2, at: 9) { answers.all.append($0) }
    piece.end(at: 9, size: 9, name: "log")
    #expect(
      answers.all == [
        .success(.init([1, 2], ofSize: 9, name: "log")),
        .failure(.init("the session has sent nothing of its log")),
        .success(.init([], ofSize: 9, name: "log")),
      ])
  }
}
