import Logs
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct LogConfigurationTests {
  @Test func `The format is that of all logs, or that of the name`() {
    var configuration = LogConfiguration(files: ["a.txt", "b.csv", "c"])
    let formats = { configuration.files.map { configuration.log(in: $0).options.format } }
    #expect(formats() == [.text, .csv, .raw])
    configuration.format = .jsonl
    #expect(formats() == [.jsonl, .jsonl, .jsonl])
    configuration.tables = ["c", "b.csv"]
    #expect(formats() == [.jsonl, .csv, .csv])
  }

  @Test func `A table is never appended to`() {
    var configuration = LogConfiguration(files: ["a.txt", "b.csv", "c"])
    configuration.options.appends = true
    configuration.tables = ["c"]
    #expect(
      configuration.files.map { configuration.log(in: $0).options.appends } == [true, false, false])
  }

  @Test func `A table that several sessions share names their ports`() {
    var configuration = LogConfiguration(files: ["all"])
    configuration.tables = ["all"]
    let shared = LogConfiguration.shared(among: [configuration, configuration])
    #expect(shared.map(\.options.format) == [.csv])
    #expect(shared.map(\.options.namesPorts) == [true])
  }
}
