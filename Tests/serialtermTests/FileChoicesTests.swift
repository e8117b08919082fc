import Glibc
import SystemPackage
import TerminalUI
import TestSupport
import Testing

@testable import serialterm

@Suite struct FileChoicesTests {
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

  @Test func entries_areInOrder_andFoldersEndInASlash() {
    make("b")
    make("a", isFolder: true)
    make(".hidden")
    let choices = FileChoices.choices(typed: "", in: folder)
    #expect(choices.map(\.title) == ["a/", "b"])
    #expect(choices.map(\.id) == [folder.appending("a").string, folder.appending("b").string])
    #expect(FileChoices.choices(typed: ".", in: folder).map(\.title).contains(".hidden"))
  }

  @Test func folderThatIsTyped_isLookedInto() {
    make("a", isFolder: true)
    make("a/inner")
    #expect(FileChoices.choices(typed: "a/", in: folder).map(\.title) == ["a/inner"])
    #expect(
      FileChoices.choices(typed: "\(folder)/a/", in: "/").map(\.title) == ["\(folder)/a/inner"])
  }

  @Test func folderThatCannotBeRead_saysWhy() {
    let choices = FileChoices.choices(typed: "missing/", in: folder)
    #expect(choices.map(\.title) == ["missing/"])
    #expect(choices.first?.refusal == "No such file or directory")
  }

  @Test func tooManyFiles_areFoundByHowTheirNameBegins() {
    for number in 0..<FileChoices.limit { make("f\(number)") }
    make("last")
    let all = FileChoices.choices(typed: "", in: folder)
    #expect(all.count == FileChoices.limit + 1)
    #expect(all.last?.refusal == "1 more: type how the name begins")
    #expect(FileChoices.choices(typed: "la", in: folder).first?.title == "last")
  }
}
