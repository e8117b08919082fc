import EventLoop
import Glibc
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing
import Time

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct FileChoicesTests {
  private let temporary: TemporaryFolder
  private var folder: FilePath { temporary.path }

  init() throws { temporary = try TemporaryFolder() }

  private func make(_ name: String, isFolder: Bool = false) {
    let path = folder.appending(name)
    if isFolder {
      _ = path.withPlatformString { mkdir($0, 0o700) }
    } else {
      _ = path.withPlatformString { close(creat($0, 0o600)) }
    }
  }

  private func choices(_ typed: String, in base: FilePath? = nil) -> [Choice<FileChoices.Answer>] {
    let contents = FolderContents(
      of: FileChoices.path(of: FileChoices.folder(of: typed), in: base ?? folder))
    return FileChoices(for: typed, in: contents).choices(in: contents)
  }

  @Test func entries_areInOrder_belowTheFolderAbove_andFoldersEndInASlash() {
    make("b")
    make("a", isFolder: true)
    make(".hidden")
    #expect(choices("").map(\.title) == ["../", "a/", "b"])
    #expect(choices("b").map(\.title) == ["a/", "b"])
    #expect(choices(".").map(\.title) == [".hidden", "a/", "b"])
    #expect(choices("").map(\.detail) == ["folder", "folder", ""])
  }

  @Test func link_isAFolder_ifItLeadsToOne() {
    make("a", isFolder: true)
    make("b")
    for (name, target) in [("to-a", "a"), ("to-b", "b"), ("to-nothing", "missing")] {
      _ = folder.appending(name).withPlatformString { path in symlink(target, path) }
    }
    #expect(choices("x").map(\.title) == ["a/", "b", "to-a/", "to-b", "to-nothing"])
  }

  @Test func folderThatIsTyped_isLookedInto() {
    make("a", isFolder: true)
    make("a/inner")
    #expect(choices("a/").map(\.title) == ["a/../", "a/inner"])
    #expect(choices("a/i").map(\.title) == ["a/inner"])
    #expect(choices("\(folder)/a/i", in: "/").map(\.title) == ["\(folder)/a/inner"])
  }

  @Test(arguments: [
    ("", "../"), ("../", "../../"), ("a/", ""), ("a/b/", "a/"), ("/tmp/", "/"), ("/a/b/", "/a/"),
    ("~/", "~/../"), ("~/a/", "~/"), ("a/../", "a/../../"),
  ])
  func parentFolder_continuesThePath(typed: String, above: String) throws {
    let choice = try #require(
      FileChoices(for: typed, in: FolderContents(of: folder))
        .choices(in: FolderContents(of: folder)).first)
    #expect(choice.title == typed + "../")
    #expect(FileChoices.continuation(choice.id) == above)
  }

  @Test func rootHasNoFolderAbove() {
    #expect(choices("/").allSatisfy { $0.title != "/../" })
  }

  @Test func choice_standsForItsFile_andAFolderContinuesThePath() {
    make("file")
    make("sub", isFolder: true)
    let (sub, file) = (choices("x")[1], choices("x")[0])
    #expect(FileChoices.continuation(file.id) == nil)
    #expect(FileChoices.path(of: file.id, in: folder) == folder.appending("file"))
    #expect(FileChoices.continuation(sub.id) == "sub/")
  }

  @Test func nameThatIsNotUTF8_standsForItsFileToo() throws {
    let name: [CChar] = [0x61, CChar(bitPattern: 0xFF), 0x2F - 1, 0]
    let path = folder.appending(
      name.withUnsafeBufferPointer {
        FilePath.Component(platformString: $0.baseAddress!)!
      })
    _ = path.withPlatformString { close(creat($0, 0o600)) }
    let choice = try #require(choices("x").first)
    #expect(choice.title == "a\u{FFFD}.")
    #expect(FileChoices.path(of: choice.id, in: folder) == path)
    #expect((try? FileChoices.path(of: choice.id, in: folder)?.stat()) != nil)
  }

  @Test func tilde_isTheHomeFolder() throws {
    let home = FilePath(String(cString: getenv("HOME")))
    #expect(FileChoices.path(of: "~/x/y") == home.appending("x").appending("y"))
    #expect(FileChoices.path(of: "~/") == home)
    #expect(FileChoices.path(of: "~root/x") == "/root/x")
    #expect(FileChoices.path(of: "~no-such-user/x", in: "/b") == "/b/~no-such-user/x")
    #expect(FileChoices.path(of: "a~/x", in: "/b") == "/b/a~/x")
  }

  @Test func folderThatCannotBeRead_saysWhy() {
    #expect(choices("missing/").map(\.title) == ["missing/"])
    #expect(choices("missing/").first?.refusal == "No such file or directory")
  }

  @Test func folderThatIsBeingRead_saysSo() {
    let choices = FileChoices(for: "a/b", in: nil).choices(in: nil)
    #expect(choices.map(\.title) == ["a/"])
    #expect(choices.first?.refusal == "reading the folder")
  }

  @Test func tooManyFiles_areFoundByHowTheirNameBegins() {
    for number in 0..<FileChoices.limit { make("f\(number)") }
    make("last")
    let all = choices("")
    #expect(all.count == FileChoices.limit + 2)
    #expect(all.last?.refusal == "1 more: type how the name begins")
    #expect(choices("la").map(\.title) == ["last", "la..."])
    #expect(choices("f1999").first?.title == "f1999")
  }

  @Test func choices_areCreatedAgain_onlyIfTheyDiffer() {
    make("a")
    let contents = FolderContents(of: folder)
    func key(_ typed: String) -> FileChoices { FileChoices(for: typed, in: contents) }
    #expect(key("a") == key("bc"))
    #expect(key("a") != key(""))
    #expect(key("a") != key(".a"))
    #expect(key("a") != key("b/a"))
  }

  @Test func cancelledListing_readsNoMore() {
    for number in 0..<1_000 { make("\(number)") }
    #expect(FolderContents(of: folder, while: { false }).entries.count < 1_000)
  }

  // MARK: A file to write

  /// The title and the outcome of Enter for a typed text in a question for a new file.
  private func newFile(
    _ typed: String, suggesting suggestion: FilePath? = nil,
    refusal: @escaping (FilePath) -> String? = { _ in nil }
  ) throws -> ChoiceList<FileChoices.Answer>.Outcome {
    let loop = try IOLoop()
    let question = Question<FileChoices.Answer>.newFile(
      "write to", suggesting: suggestion, on: loop, update: {}, refusal: refusal, onAnswer: { _ in }
    )
    var list = ChoiceList(question.choices(""))
    list.replaceQuery(typed)
    let deadline = MonotonicTime.now + .seconds(60)
    _ = question.choices(typed)
    while question.isPending(typed), .now < deadline {
      try loop.turn(waitingAtMost: .milliseconds(20))
      _ = question.choices(typed)
    }
    list.update(question.choices(typed))
    return list.handle(.named(.enter))
  }

  @Test func `The typed name of a new file is the answer, whatever the folder has`() throws {
    make("boot-old.txt")
    let path = "\(folder)/boot.txt"
    #expect(try newFile(path) == .chosen(.file(path)))
    for number in 0...FileChoices.limit { make("f\(number)") }
    #expect(try newFile(path) == .chosen(.file(path)))
    #expect(try newFile("\(folder)/f7") == .chosen(.file("\(folder)/f7")))
  }

  @Test func `Enter alone is the suggested file, and a name can be refused`() throws {
    #expect(try newFile("", suggesting: "/a/b.svg") == .chosen(.file("/a/b.svg")))
    let path = "\(folder)/x.png"
    make("x.png")
    for typed in [path, "\(folder)/y.png"] {
      let outcome = try newFile(typed) { $0.extension == "png" ? "no picture" : nil }
      #expect(outcome == .refused(.file(typed), because: "no picture"))
    }
  }
}
