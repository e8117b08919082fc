import Options
import TestSupport
import Testing

@testable import serialterm

@Suite("The completions of the program's command lines")
struct ProgramCompletionTests {
  private func words(_ words: String...) -> [String] {
    guard case .words(let candidates) = Completer.program.answer(words) else { return [] }
    return candidates.map(\.word)
  }

  @Test("every command is proposed, except hidden ones")
  func commands() {
    let proposed = words("")
    for description in Subcommands.all.map({ $0.description }) {
      let first = String(description.name.prefix { $0 != " " })
      #expect(proposed.contains(first) == !description.isHidden, "\(first)")
    }
  }

  @Test("every option of a command is proposed, and no value fails to parse")
  func options() throws {
    var completed: Set<String> = []
    for command in Subcommands.all {
      let description = command.description
      let name = description.name.split(separator: " ").map(String.init)
      guard case .words(let candidates) = Completer.program.answer(name + ["--"]) else {
        Issue.record("\(description.name)")
        continue
      }
      for option in description.declarations where !option.isArgument {
        #expect(candidates.contains { $0.word == "--\(option.name)" }, "\(option.name)")
        // Several commands share an option.
        guard option.takesValue, option.name != "profile",
          isThorough || completed.insert(option.name).inserted,
          case .words(let values) = Completer.program.answer(name + ["--\(option.name)="])
        else { continue }
        for value in values where !value.isBeginning {
          #expect(throws: Never.self, "\(value.word)") {
            let given = try WordReader.read([value.word], [option], canSwitchOff: false)
            _ = try Values(given, of: [option])
          }
        }
      }
    }
  }

  @Test("lists, and values with a free part")
  func values() {
    #expect(words("--map", "from-device:cr=lf,to-device:crlf=").count == 2)
    #expect(
      !words("--map", "from-device:cr=lf,from-device:cr").contains(
        "from-device:cr=lf,from-device:cr=lf"))
    #expect(words("--highlight", "a=b=mag") == ["a=b=magenta"])
    #expect(words("--highlight", "l") == ["levels"])
    #expect(words("--on-open", "dtr=off,w") == ["dtr=off,wait="])
    #expect(words("-t", "epoch:") == ["epoch:us"])
    #expect(words("send", "x", "--line-ending", "n") == ["none"])
    #expect(words("run", "x", "y", "--report", "j") == ["junit=", "json="])
  }

  @Test("help completes its topics")
  func help() {
    for word in words("help", "") { #expect(HelpTopic.text(of: [word]) != nil, "\(word)") }
  }
}
