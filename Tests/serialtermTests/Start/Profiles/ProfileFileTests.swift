import Configuration
import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite("The configuration file of the program", .timeLimit(.minutes(30)))
struct ProfileFileTests {
  /// The mistake in a file; nil if there is none.
  private func complaint(_ text: String) -> String? {
    do throws(ConfigurationError) {
      _ = try ConfigurationFile(parsing: Array(text.utf8), check: ProfileFile.check)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "a value of a kind that no setting has is named, with the line of its key",
    arguments: [
      ("baud = 1979-05-27", "2: 'baud' is a date: expected a whole number, or false"),
      ("parity = 07:32:00", "2: 'parity' is a time: expected a string, or false"),
      (
        "linger = 1979-05-27 07:32:00",
        "2: 'linger' is a date and time: expected a number, a string with a unit, or false"
      ),
      ("hex = {}", "2: 'hex' is a table: expected true or false"),
      ("hex.gap = 1", "2: 'hex' is a table: expected true or false"),
      (
        "log = [\n'a',\n1979-05-27]",
        "2: 'log' is an array: expected a string, an array of strings, or false"
      ),
      ("target = {}", "2: 'target' is a table: expected a string, or an array of strings"),
      ("target = ['a', {}]", "2: 'target' contains a table: expected strings"),
      ("match = [1979-05-27]", "2: 'match' is an array: expected a string, or an array of strings"),
      (
        "[profile.a.nonsense]\nx = 'y'",
        "2: unknown key 'nonsense': expected the long name of an option, such as 'baud'"
      ),
      ("on-match = 'x'", "2: 'on-match' is for the command line only"),
      ("text = 'x'", "2: unknown key 'text': expected the long name of an option, such as 'baud'"),
    ])
  func kinds(_ text: String, _ expected: String) {
    #expect(complaint("[profile.a]\n\(text)\n") == expected)
  }

  @Test("inf and nan are numbers, which the option refuses if it cannot have them")
  func specialNumbers() {
    #expect(complaint("[default]\nlinger = inf\ndrain = nan\n") == nil)
    #expect(
      complaint("[default]\nbaud = inf\n")
        == "2: 'baud' is a number: expected a whole number, or false")
  }

  @Test("a profile is added so that the file stays valid")
  func adding() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    for (text, isExtended) in [
      ("", true), ("[profile.a]\nhex = true", true), ("profile.a.hex = true\n", true),
      ("profile = {}", false), ("profile = {a = {}}\n", false),
    ] {
      try write(text, to: path)
      let present = try ProfileFile.present(at: path)
      let changes = [ProfileEdit.Change("baud", .integer(300))]
      if isExtended {
        let edit = try ProfileFile.edit(of: "b", isNew: true, in: present, at: path, changes)
        try ProfileFile.replace(present, by: edit.document, at: path)
        #expect(try ProfileFile(path).contents.profiles.last?.name == "b", "\(text)")
        #expect(try contents(path).hasPrefix(text))
      } else {
        #expect(throws: Failure.self, "\(text)") {
          try ProfileFile.edit(of: "b", isNew: true, in: present, at: path, changes)
        }
        #expect(try contents(path) == text)
      }
    }
  }

  // MARK: Replacing

  private func replace(_ present: String?, _ new: String, _ path: FilePath) throws(Failure) {
    try ProfileFile.replace(present.map { Array($0.utf8) }, by: Array(new.utf8), at: path)
  }

  private func contents(_ path: FilePath) throws -> String {
    String(decoding: try ProfileFile.document(at: path), as: UTF8.self)
  }

  @Test func `A file that changed meanwhile is left alone`() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    try write("theirs", to: path)
    #expect(
      throws: Failure(
        .otherFailure, "\(path): the file has changed meanwhile; nothing was written. Save again.")
    ) {
      try replace("ours", "new", path)
    }
    #expect(throws: Failure.self, "it did not exist before") { try replace(nil, "new", path) }
    #expect(try contents(path) == "theirs")
    #expect(throws: Failure.self, "it has gone") { try replace("old", "new", folder("other.toml")) }
    #expect(folder.path.entryNames().sorted() == ["config.toml"], "no draft is left")
  }

  @Test func `A file and its folders are created, for the user only`() throws {
    let folder = try TemporaryFolder()
    let path = folder("a").appending("b").appending("config.toml")
    try replace(nil, "new", path)
    #expect(try contents(path) == "new")
    var facts = Glibc.stat()
    #expect(stat(path.string, &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o600)
  }

  @Test func `A link stays a link, and the mode of the file stays`() throws {
    let folder = try TemporaryFolder()
    let (file, link) = (folder("dotfiles.toml"), folder("config.toml"))
    try write("old", to: file)
    #expect(chmod(file.string, 0o644) == 0)
    #expect(symlink(file.string, link.string) == 0)
    // A file that a killed process has left behind is replaced.
    try write("half", to: folder(".dotfiles.toml.serialterm"))
    try replace("old", "new", link)
    #expect(try contents(file) == "new")
    var facts = Glibc.stat()
    #expect(lstat(link.string, &facts) == 0)
    #expect(facts.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(file.string, &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o644)
    #expect(folder.path.entryNames().sorted() == ["config.toml", "dotfiles.toml"])
  }

  @Test func `Two processes do not save at the same time`() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    try write("old", to: path)
    let other = try FileDescriptor.open(folder.path, .readOnly)
    defer { _ = try? other.close() }
    #expect(flock(other.rawValue, LOCK_EX) == 0)
    #expect(throws: Failure.self) { try replace("old", "new", path) }
    #expect(try contents(path) == "old")
  }

  @Test func `What is not a file is refused`() throws {
    let folder = try TemporaryFolder()
    for path in [folder.path, "/dev/null"] {
      #expect(throws: Failure.self) { try ProfileFile.present(at: path) }
    }
    let fifo = folder("fifo")
    #expect(mkfifo(fifo.string, 0o600) == 0)
    #expect(throws: Failure.self) { try ProfileFile.present(at: fifo) }
  }

  private func write(_ text: String, to path: FilePath) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }
}
