import EventLoop
import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing
import Time

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct FileWriteTests {
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
    let deadline = MonotonicTime.now + .seconds(60)
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

  @Test func `A failure says how much was appended`() throws {
    let outcome = try write(["abc"], to: folder("new"), .appendTo, thenThrowing: .noSpace)
    #expect(outcome == "true after 3")
  }

  @Test(arguments: [FileWrite.Existing.leaveAlone, .replace])
  func `A failure leaves no part of a file, and the old file`(
    _ existing: FileWrite.Existing
  ) throws {
    let path = folder("file")
    if existing == .replace { _ = try folder.write("file", Array("old".utf8)) }
    #expect(try write(["abc"], to: path, existing, thenThrowing: .noSpace) == "true after 0")
    #expect(path.exists == (existing == .replace))
    if existing == .replace { #expect(try text(path) == "old") }
    #expect(folder.path.entryNames() == (existing == .replace ? ["file"] : []))
  }

  @Test func `A file that is replaced keeps its mode, and a protected one is not replaced`() throws
  {
    let path = try folder.write("old", Array("text".utf8))
    #expect(chmod(path.string, 0o640) == 0)
    #expect(try write(["new"], to: path, .replace) == "done 3")
    #expect(try path.stat().permissions.rawValue & 0o777 == 0o640)
    guard geteuid() != 0 else { return }
    #expect(chmod(path.string, 0o400) == 0)
    #expect(try write(["other"], to: path, .replace) == "false after 0")
    #expect(try text(path) == "new")
  }
}
