import Options
import TestSupport
import Testing

@testable import serialterm

@Suite("Command lines and their results", .timeLimit(.minutes(30)))
struct CommandLineTests {
  /// Command lines with their meaning: the command with the texts of its parameters, or the reason
  /// of the refusal.
  private static let lines: [(line: String, meaning: String)] = [
    // The command.
    ("", "connect"),
    ("ttyUSB0", "connect target=ttyUSB0"),
    ("connect ttyUSB0", "connect target=ttyUSB0"),
    ("connect", "connect"),
    ("list", "list"),
    ("./list", "connect target=./list"),
    ("profile show board", "profile show name=board"),
    ("profile save board usb:1:2 -b 9600", "profile save name=board target=usb:1:2 baud=9600"),
    ("profile", "help profile"),
    ("--version", "version"),
    ("help", "help"),
    ("help targets", "help targets"),
    ("--help", "help"),
    ("-h", "help"),
    ("ttyUSB0 --help", "help connect"),
    ("send x --help --nonsense", "help send"),
    ("profile save -h", "help profile save"),
    ("--wait list", "connect target=list wait=true"),
    // Long names.
    ("ttyUSB0 --baud 9600", "connect target=ttyUSB0 baud=9600"),
    ("ttyUSB0 --baud=9600", "connect target=ttyUSB0 baud=9600"),
    ("--baud= x", "connect target=x baud="),
    ("--log=\u{308}a x", "connect target=x log=\u{308}a"),
    ("--log a=b x", "connect target=x log=a=b"),
    ("--log=a=b x", "connect target=x log=a=b"),
    ("x --baud", "--baud needs a value"),
    ("--baud --wait x", "--baud needs a value, not --wait"),
    ("x --hex=1", "--hex takes no value: 1"),
    ("x --bau 1", "unknown option --bau"),
    ("x ---baud", "unknown option ---baud"),
    // Letters.
    ("x -b 9600", "connect target=x baud=9600"),
    ("x -b9600", "connect target=x baud=9600"),
    ("x -b=9600", "connect target=x baud=9600"),
    ("x -xe", "connect target=x hex=true local-echo=true"),
    ("x -xeb9600", "connect target=x hex=true local-echo=true baud=9600"),
    ("x -xb 9600 -e", "connect target=x hex=true baud=9600 local-echo=true"),
    ("x -Lfile.txt", "connect target=x log=file.txt"),
    ("x -La -Lb", "connect target=x log=a,b"),
    ("x -b", "--baud needs a value"),
    ("x -xy", "unknown option -y"),
    ("x -p even -d 7 -s2 -fhard", "connect target=x parity=even data-bits=7 stop-bits=2 flow=hard"),
    // Negative numbers are values, because no option has a digit as its letter.
    ("x -b -1", "connect target=x baud=-1"),
    ("x --linger -0.5", "connect target=x linger=-0.5"),
    ("x --escape ~", "connect target=x escape=~"),
    ("x --escape - --wait", "connect target=x escape=- wait=true"),
    ("x -o-3", "connect target=x byte-delay=-3"),
    ("x -1", "unknown option -1"),
    // Optional values never take the TARGET.
    ("-t ttyUSB0", "connect target=ttyUSB0 timestamps=time"),
    ("-t iso ttyUSB0", "connect target=ttyUSB0 timestamps=iso"),
    ("--timestamps ./iso", "connect target=./iso timestamps=time"),
    ("--timestamps=delta:us x", "connect target=x timestamps=delta:us"),
    ("x -t", "connect target=x timestamps=time"),
    ("x -te", "connect target=x timestamps=time local-echo=true"),
    ("x -tiso", "connect target=x timestamps=iso"),
    ("x -xt -e", "connect target=x hex=true timestamps=time local-echo=true"),
    ("x -tnoon", "connect target=x timestamps=noon"),
    ("x -t --hex", "connect target=x timestamps=time hex=true"),
    // The last one counts, or all of them.
    ("x -b 1 -b 2", "connect target=x baud=2"),
    ("x --shared --exclusive", "connect target=x exclusive=true"),
    ("x --exclusive --shared", "connect target=x exclusive=false"),
    ("x -n", "connect target=x reconnect=false"),
    ("x -n --reconnect", "connect target=x reconnect=true"),
    ("x --hangup --no-hangup", "connect target=x hangup=false"),
    // Parameters that are switched off, even if the configuration sets them.
    ("x --no-timestamps", "connect target=x no timestamps"),
    ("x --no-log -L a", "connect target=x log=a"),
    ("x -L a --no-log", "connect target=x no log"),
    ("x --no-no-reconnect", "connect target=x reconnect=true"),
    ("x --no-shared", "connect target=x exclusive=true"),
    ("x --no-exclusive", "connect target=x exclusive=false"),
    ("x -x=1", "-x takes no value: 1"),
    ("x -x-e", "unknown option -x-e"),
    ("send x --version", "version"),
    ("profile lst", "no lst of profile"),
    ("sned --help", "help sned"),
    ("rules x", "NAME is missing"),
    ("x --no-exec", "unknown option --no-exec"),
    ("monitor --no-timeout", "unknown option --no-timeout"),
    // Arguments.
    ("a b c", "connect target=a,b,c"),
    ("-- -x", "connect target=-x"),
    ("a -- -b 9600", "connect target=a,-b,9600"),
    ("x -", "connect target=x,-"),
    ("--generate-completion-script fish", "script fish"),
    ("--generate-completion-script", "script "),
    ("send", "TARGET is missing"),
    ("send x", "send target=x"),
    ("send x text", "send target=x text=text"),
    ("send x -- -text", "send target=x text=-text"),
    ("send x a b", "unexpected argument b"),
    ("log x", "FILE is missing"),
    ("log x a b -q", "log target=x file=a,b quiet=true"),
    ("list x", "unexpected argument x"),
    ("release x -- cmd --help -- y", "release command=cmd,--help,--,y target=x"),
    ("release x cmd", "COMMAND is missing"),
    ("release x --", "COMMAND is missing"),
  ]

  @Test("the table", arguments: lines)
  func table(line: String, meaning: String) {
    #expect(Self.meaning(line.split(separator: " ").map(String.init)) == meaning, "\(line)")
  }

  private static func meaning(_ words: [String]) -> String {
    switch Invocation(words) {
    case .version: return "version"
    case .completionScript(let shell): return "script \(shell)"
    case .noMember(let group, let word): return "no \(word) of \(group)"
    case .help(let topic): return (["help"] + topic).joined(separator: " ")
    case .command(let command, let rest):
      do throws(WordError) {
        let given = try command.given(by: rest)
        let entries = given.entries.map { "\($0.name)=\($0.texts.joined(separator: ","))" }
        // The arguments come first, because they are parsed last.
        let isArgument = { (entry: String) in
          command.description.declarations.contains {
            $0.isArgument && entry.hasPrefix("\($0.name)=")
          }
        }
        let ordered = entries.filter(isArgument) + entries.filter { !isArgument($0) }
        return ([command.name] + ordered + given.switchedOff.sorted().map { "no \($0)" })
          .joined(separator: " ")
      } catch {
        switch error {
        case .unknownOption(let option): return "unknown option \(option)"
        case .missingValue(let declaration, let next):
          return "--\(declaration.name) needs a value" + (next.map { ", not \($0)" } ?? "")
        case .unexpectedValue(let option, let value): return "\(option) takes no value: \(value)"
        case .unexpectedArgument(let word): return "unexpected argument \(word)"
        case .missingArgument(let declaration): return "\(declaration.placeholder) is missing"
        }
      }
    }
  }

  /// Parses random words, and parses the long form of the result again. Both results must be equal.
  @Test("random words", arguments: [1, 2, 3, 4] as [UInt64])
  func random(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    let declarations = Subcommands.all.flatMap { $0.description.declarations }
    let pieces =
      declarations.flatMap {
        ["--\($0.name)", "--no-\($0.name)", "--no-no-\($0.name)", "--\($0.name)=9600"]
      }
      + declarations.compactMap { $0.letter.map { "-\($0)" } }
      + [
        "-", "--", "---", "=", "-=", "--=", "", "9600", "-1", "iso", "-t", "-xe", "a=b", "é", "-é",
      ]
    var understood = 0
    let count = repetitions(5_000)
    for _ in 0..<count {
      let command = Subcommands.all.randomElement(using: &numbers)!
      let words = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in
        let piece = pieces.randomElement(using: &numbers)!
        return Bool.random(using: &numbers)
          ? piece : piece + pieces.randomElement(using: &numbers)!
      }
      guard let given = try? command.given(by: words) else { continue }
      understood += 1
      let again = try? command.given(by: Self.words(given, command.description.declarations))
      if again.map(Self.sorted) != Self.sorted(given) { Issue.record("\(words)") }
    }
    #expect(understood > count * 3 / 50, "the words are too wild to say much")
  }

  private static func sorted(_ given: Given) -> [String] {
    given.entries.map { "\($0)" }.sorted() + given.switchedOff.sorted()
  }

  /// The long form of the parsed parameters.
  private static func words(_ given: Given, _ declarations: [Declaration]) -> [String] {
    var (options, arguments, after): ([String], [String], [String]) = ([], [], [])
    for declaration in declarations {
      for (number, text) in (given[declaration.name] ?? []).enumerated() {
        switch declaration.shape {
        case .flag: options.append("--\(declaration.name)")
        case .pair(let off, _):
          options.append(text == "true" ? "--\(declaration.name)" : "--\(off)")
        case .value, .list, .optionalValue: options.append("--\(declaration.name)=\(text)")
        case .pairs:
          options.append(number.isMultiple(of: 2) ? "--\(declaration.name)=\(text)" : text)
        case .argument, .arguments: arguments.append(text)
        case .wordsAfterDashes: after.append(text)
        }
      }
    }
    options += given.switchedOff.map { "--no-\($0)" }
    return options + (after.isEmpty ? ["--"] + arguments : arguments + ["--"] + after)
  }
}
