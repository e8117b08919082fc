import EventLoop
import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct FileWriteTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes pieces, and returns the outcome in words.
  private func write(
    _ pieces: [String], to path: FilePath, _ existing: FileWrite.Existing,
    thenThrowing error: Errno? = nil
  ) throws -> String {
    let loop = try IOLoop()
    var outcome: FileWrite.Outcome?
    let write = FileWrite(
      to: path, existing: existing, on: loop,
      contents: { put throws(Errno) in
        for piece in pieces { try put(Array(piece.utf8)) }
        if let error { throw error }
      }, done: { outcome = $0 })
    let deadline = MonotonicTime.now + .seconds(10)
    while outcome == nil, .now < deadline { try loop.turn(waitingAtMost: .milliseconds(20)) }
    _ = write
    switch try #require(outcome) {
    case .done(let count): return "done \(count)"
    case .exists: return "exists"
    case .failed(let error, let count): return "\(error == .noSpace) after \(count)"
    }
  }

  private func text(_ path: FilePath) throws -> String {
    try String(decoding: path.contents(), as: UTF8.self)
  }

  @Test(arguments: [
    FileWrite.Existing.leaveAlone, .appendTo, .replace,
  ])
  func `A new file is written`(_ existing: FileWrite.Existing) throws {
    #expect(try write(["one ", "two"], to: folder("new"), existing) == "done 7")
    #expect(try text(folder("new")) == "one two")
  }

  @Test(arguments: [
    (FileWrite.Existing.leaveAlone, "exists", "a long text"),
    (.appendTo, "done 3", "a long textnew"), (.replace, "done 3", "new"),
  ])
  func `A file that exists is left alone, continued or replaced`(
    _ existing: FileWrite.Existing, _ outcome: String, _ text: String
  ) throws {
    let path = try folder.write("old", Array("a long text".utf8))
    #expect(try write(["new"], to: path, existing) == outcome)
    #expect(try self.text(path) == text)
  }

  @Test func `Nothing but a regular file is written`() throws {
    let target = try folder.write("target", Array("kept".utf8))
    let link = folder("link")
    #expect(symlink(target.string, link.string) == 0)
    let pipe = folder("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    for existing in [FileWrite.Existing.appendTo, .replace] {
      for path in [link, pipe, folder.path, "/dev/null"] {
        #expect(try write(["x"], to: path, existing) == "false after 0", "\(path)")
      }
    }
    #expect(try text(target) == "kept")
  }

  @Test func `A failure says how much was written`() throws {
    let outcome = try write(["abc"], to: folder("new"), .replace, thenThrowing: .noSpace)
    #expect(outcome == "true after 3")
  }
}
