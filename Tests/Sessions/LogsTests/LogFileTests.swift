import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct LogFileTests {
  private let folder: TemporaryFolder
  private let path: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = folder("log")
  }

  private func file(appends: Bool = false, access: LogAccess = LogAccess()) throws -> LogFile {
    try LogFile(LogName(path.string, port: "port"), appends: appends, access: access)
  }

  private func write(_ text: String, to file: LogFile) throws {
    var text = text
    _ = try text.withUTF8 { try file.write(UnsafeRawBufferPointer($0), isRecord: true) }
  }

  private func contents(_ path: FilePath) -> String {
    String(decoding: (try? path.contents()) ?? [], as: UTF8.self)
  }

  // MARK: What is no file

  @Test(arguments: [false, true])
  func `What exists and is no file is named as what it is`(_ appends: Bool) throws {
    let target = try folder.file("target", [1])
    #expect(symlink(target.string, folder("link").string) == 0)
    #expect(mkfifo(folder("pipe").string, 0o600) == 0)
    let paths = [
      (folder.path, "a folder: name a file in it"), (folder("pipe"), "a named pipe"),
      ("/dev/null", "a device"),
      (folder("link"), "a symbolic link, which a log does not follow"),
    ]
    for (path, kind) in paths {
      let error = #expect(throws: LogFileError.self) {
        try LogFile(LogName(path.string, port: ""), appends: appends)
      }
      #expect(error?.description == "\(path) is \(kind)")
    }
    let missing = folder("gone").appending("x.log")
    let error = #expect(throws: LogFileError.self) {
      try LogFile(LogName(missing.string, port: ""), appends: appends)
    }
    #expect(error?.description == "\(missing): there is no folder \(folder("gone"))")
    #expect(try target.contents() == [1])
  }

  @Test func `A file that exists is kept unless appending is allowed`() throws {
    let old = try folder.file("old", [1])
    let error = #expect(throws: LogFileError.self) {
      try LogFile(LogName(old.string, port: ""), appends: false)
    }
    #expect(error?.reason == .exists)
    #expect(error?.description == "\(old) exists already")
  }

  // MARK: Incomplete records

  @Test func anIncompleteRecordIsRemoved() throws {
    let file = try file()
    try write("whole\n", to: file)
    try write("half", to: file)
    file.removeLast(4)
    #expect(contents(path) == "whole\n")
    #expect(file.size == 6)
    try write("next\n", to: file)
    #expect(contents(path) == "whole\nnext\n")
  }

  @Test func textOfAnotherProgramIsNeverCut() throws {
    let file = try file()
    try write("half", to: file)
    let other = try self.file(appends: true)
    try write("another's record\n", to: other)
    file.removeLast(4)
    #expect(contents(path) == "halfanother's record\n")
    #expect(file.size == 4)
  }

  // MARK: Old files

  @Test func aNameThatIsTakenMeanwhileIsNotReplaced() throws {
    let file = try file()
    try write("1", to: file)
    try file.rotate(keeping: nil)
    // The next number is already known when another program takes it.
    _ = try folder.file("log.2", Array("another's".utf8))
    try write("2", to: file)
    try file.rotate(keeping: nil)
    #expect(contents(folder("log.1")) == "1")
    #expect(contents(folder("log.2")) == "another's")
    #expect(contents(folder("log.3")) == "2")
  }

  @Test func renamingRefusesANameThatIsTaken_aLinkThatLeadsNowhereToo() throws {
    let old = try folder.file("old", [1])
    let taken = try folder.file("taken", [2])
    #expect(symlink("/nonexistent", folder("link").string) == 0)
    #expect(try !old.renameUnlessExists(to: taken))
    #expect(try !old.renameUnlessExists(to: folder("link")))
    #expect(try taken.contents() == [2])
    #expect(try old.renameUnlessExists(to: folder("new")))
    #expect(try folder("new").contents() == [1])
    #expect(throws: Errno.noSuchFileOrDirectory) { try old.renameUnlessExists(to: taken) }
  }

  // MARK: Mode and group

  private func mode(_ path: FilePath) throws -> FilePermissions { try path.stat().permissions }

  @Test func newFilesHaveTheModeAndTheGroup_withAnyUmask() throws {
    let before = umask(0o077)
    defer { umask(before) }
    let access = LogAccess(
      mode: [.ownerReadWrite, .groupRead], group: GroupID(rawValue: getgid()))
    let file = try file(access: access)
    try write("1", to: file)
    try file.rotate(keeping: 1)
    for name in ["log", "log.1"] {
      #expect(try mode(folder(name)) == [.ownerReadWrite, .groupRead])
      #expect(try folder(name).stat().groupID == access.group)
    }
  }

  @Test func aFileThatExistsKeepsItsMode() throws {
    _ = try folder.file("log", [1])
    _ = try file(appends: true, access: LogAccess(mode: [.ownerReadWrite, .otherRead]))
    #expect(try mode(path) == .ownerReadWrite)
  }

  @Test(.enabled(if: geteuid() != 0, "root may give a file to any group"))
  func aGroupThatIsRefusedLeavesNoFileBehind() throws {
    #expect(throws: LogFileError.self) {
      try file(access: LogAccess(group: GroupID(rawValue: 0)))
    }
    #expect(!path.exists)
  }
}
