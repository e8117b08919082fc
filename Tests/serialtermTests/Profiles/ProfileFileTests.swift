import Configuration
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite("The configuration file of the program", .timeLimit(.minutes(5)))
struct ProfileFileTests {
  /// What is wrong with a file; nil if nothing is.
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
        "2: 'linger' is a date and time: expected a number, or false"
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

  @Test("a profile is added where the file is a configuration afterwards")
  func append() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    for (text, isExtended) in [
      ("", true), ("[profile.a]\nhex = true", true), ("profile.a.hex = true\n", true),
      ("profile = {}", false), ("profile = {a = {}}\n", false),
    ] {
      try write(text, to: path)
      let addition = "[profile.b]\nbaud = 300\n"
      if isExtended {
        try ProfileFile.append(addition, to: path)
        #expect(try ProfileFile(path).contents.profiles.last?.name == "b", "\(text)")
      } else {
        #expect(throws: Failure.self, "\(text)") { try ProfileFile.append(addition, to: path) }
        #expect(try ProfileFile.document(at: path) == Array(text.utf8))
      }
    }
  }

  private func write(_ text: String, to path: FilePath) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }
}
