import Glibc
import Posix
import SystemPackage
import TerminalWidgets
import TestSupport
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct HistoryFileTests {
  /// A separate folder for each test, which is removed with this object.
  private final class Place {
    private let folder: TemporaryFolder
    var path: FilePath { folder.path }

    init() throws { folder = try TemporaryFolder() }

    var file: FilePath { path.appending("serialterm").appending("history").appending("default") }

    var text: String {
      (try? file.contents()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    var history: HistoryFile { HistoryFile(of: .lines(ofProfile: nil), in: path) }
  }

  @Test func lines_areFoundAgain() throws {
    let place = try Place()
    var file = place.history
    #expect(file.load().lines.isEmpty)
    for line in ["one", "two", "two", "", "one"] { file.append(line) }
    var next = place.history
    #expect(next.load().lines == ["one", "two", "one"])
  }

  @Test func lastLineOfBefore_isNotKeptTwice() throws {
    let place = try Place()
    var file = place.history
    file.append("again")
    var next = place.history
    _ = next.load()
    next.append("again")
    #expect(place.text == "again\n")
  }

  @Test func twoSessions_addToOneFile() throws {
    let place = try Place()
    var (one, other) = (place.history, place.history)
    _ = (one.load(), other.load())
    one.append("from one")
    other.append("from the other")
    one.append("and again")
    #expect(place.text == "from one\nfrom the other\nand again\n")
  }

  @Test func moreLinesThanTheLimit_dropTheOldest() throws {
    let place = try Place()
    var file = place.history
    for number in 0...HistoryFile.limit { file.append("line \(number)") }
    let lines = place.text.split(separator: "\n")
    #expect(lines.count <= HistoryFile.limit)
    #expect(lines.last == "line \(HistoryFile.limit)")
    var next = place.history
    #expect(next.load().lines.count == lines.count)
  }

  @Test func profiles_haveSeparateFiles_forAnyNames() throws {
    let place = try Place()
    var (own, other) = (place.history, HistoryFile(of: .lines(ofProfile: "../x y"), in: place.path))
    own.append("of none")
    other.append("of the profile")
    #expect(place.text == "of none\n")
    #expect(other.name == "%2e%2e%2fx%20y")
    var next = HistoryFile(of: .lines(ofProfile: "../x y"), in: place.path)
    #expect(next.load().lines == ["of the profile"])
  }

  @Test func withoutAPlace_nothingHappens() {
    var file = HistoryFile(of: .lines(ofProfile: nil), in: nil)
    file.append("line")
    #expect(file.load().lines.isEmpty)
  }
}
