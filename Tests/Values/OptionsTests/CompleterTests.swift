import Testing

@testable import Options

@Suite("Completions of the last word of a command line")
struct CompleterTests {
  private static let rate = Parameter<String?>.option(
    "rate", letter: "r", "N", "The rate.", completion: .words(["9600", "96000", "115200"]),
    parse: { $0 })
  private static let time = Parameter<String?>.option(
    "time", letter: "t", "FORMAT", implied: "short", "The time.",
    completion: .oneOf([.init("short", "a short one"), "long"]),
    parse: { text in
      guard ["short", "long"].contains(text) else { throw ValueError(text, expected: "a time") }
      return text
    })
  private static let echo = Parameter.flag("echo", letter: "e", "Echo.")
  private static let again = Parameter<Bool>.pair(
    "again", off: "no-again", offLetter: "n", "Again, or not.")
  private static let log = Parameter<[String]>.list(
    "log", letter: "L", "FILE", "Log.", completion: .files, parse: { $0 })
  private static let steps = Parameter<String?>.option(
    "steps", "STEPS", "Steps.",
    completion: .list(["on", "off", .init("wait=", isBeginning: true)]), parse: { $0 })
  private static let rule = Parameter<[String]>.pairs(
    "rule", "WHEN WHAT", "A rule.", completion: .list(["always", "never"]), second: .command,
    parse: { $0 + $1 })
  private static let report = Parameter<String?>.option(
    "report", "KIND=FILE", "Report.",
    completion: .found { request in
      Completion.Proposal(
        [.init("json=", isBeginning: true)],
        filesAfter: request.text.hasPrefix("json=") ? 5 : nil)
    }, parse: { $0 })
  private static let exec = Parameter<String?>.option(
    "exec", "COMMAND", "Run.", completion: .command, parse: { $0 })
  private static let text = Parameter<String?>.option("text", "TEXT", "Text.", parse: { $0 })
  private static let config = Parameter<String?>.option(
    "config", "FILE", "Configuration.", isConfigurable: false, completion: .files, parse: { $0 })
  private static let name = Parameter<String>.argument(
    "name", "The name.",
    completion: .found { Completion.Proposal([.init("in-\($0.given["config"]?.last ?? "none")")]) },
    standard: "", parse: { $0 })
  private static let target = Parameter<[String]>.arguments(
    "target", "The target.",
    completion: .found { _ in
      Completion.Proposal([.init("usb:1:2", "an adapter"), .init("latest")], filesAfter: 0)
    }, parse: { $0 })
  private static let script = Parameter<String>.argument(
    "script", "The script.", completion: .files, standard: "", parse: { $0 })
  private static let command = Parameter<[String]>.wordsAfterDashes("command", "The command.")

  private static func description(
    _ name: String, _ parameters: [any Declared], isHidden: Bool = false
  ) -> CommandDescription {
    CommandDescription(
      name, "Does \(name).", example: "", sections: [ParameterSection("OPTIONS", parameters)],
      isHidden: isHidden)
  }

  private static let connect = description(
    "connect", [target, rate, time, echo, again, log, steps, report, exec, rule, text, config])

  private static let completer = Completer(
    [
      connect, description("run", [name, script, echo, config]),
      description("lend", [name, echo, command]), description("profile list", []),
      description("profile show", [name, config]), description("secret", [], isHidden: true),
    ],
    standard: connect, configurable: ["connect"],
    groups: [.init("profile", "About profiles.")], subjects: [.init("keys", "About keys.")])

  private func words(_ line: String) -> [String]? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard case .words(let candidates) = Self.completer.answer(words) else { return nil }
    return candidates.map(\.word)
  }

  @Test(
    "words",
    arguments: [
      // The first word is a TARGET, a command, or an option of the default command.
      ("", ["usb:1:2", "latest", "connect", "run", "lend", "profile", "help"]),
      ("con", ["connect"]), ("l", ["latest", "lend"]), ("sec", nil), ("--ve", ["--version"]),
      ("--ti", ["--time"]), ("usb:", ["usb:1:2"]), ("connect", ["connect"]),
      // After a command or an option, no command can follow.
      ("connect l", ["latest"]), ("-e l", ["latest"]), ("--echo --ve", []), ("run --ve", []),
      // A group of commands.
      ("profile ", ["list", "show"]), ("profile sh", ["show"]), ("profile --h", ["--help"]),
      ("profile x", []), ("profile list ", ["--help"]),
      // Help.
      ("help ", ["connect", "run", "lend", "profile", "keys"]), ("help ke", ["keys"]),
      ("help profile s", ["show"]), ("help keys ", []), ("help sec", []),
      // A TARGET is suggested once.
      ("connect latest ", ["usb:1:2"]),
      ("connect 9600 --rate 960", ["9600", "96000"]),
      // Options are suggested once, unless they can be repeated.
      ("--t", ["--time", "--text"]), ("-t --t", ["--text"]), ("-et --e", ["--exec"]),
      ("--time=long --ti", []), ("--log a --lo", ["--log"]), ("--again --no-a", []),
      ("-n --aga", []), ("--no-time --ti", []), ("run --ra", []), ("run --he", ["--help"]),
      ("--no-t", ["--no-time", "--no-text"]), ("--no-co", []), ("run --no-e", []),
      // Letters.
      ("-e", ["-e"]), ("-r", ["-r"]), ("-z", []), ("-n", ["-n"]), ("-en", ["-en"]),
      // Values.
      ("--rate 96", ["9600", "96000"]), ("--rate=96", ["--rate=9600", "--rate=96000"]),
      ("-r 96", ["9600", "96000"]), ("-r96", ["-r9600", "-r96000"]),
      ("-er96", ["-er9600", "-er96000"]),
      ("-r=1", ["-r=115200"]), ("--rate -", []), ("--rate x", []), ("--text ", []),
      ("--echo=x", []), ("--other=x", []), ("run --rate 96", []),
      // Optional values.
      ("-t ", ["short", "long", "usb:1:2", "latest"]), ("-t l", ["long", "latest"]),
      ("-t long l", ["latest"]), ("-tl", ["-tlong"]), ("-te", ["-te"]),
      ("--time=l", ["--time=long"]),
      ("-t --ra", ["--rate"]),
      // Lists, and words that may continue.
      ("--steps o", ["on", "off"]), ("--steps on,o", ["on,off"]),
      ("--steps=on,w", ["--steps=on,wait="]),
      ("--report j", ["json="]), ("--steps wait=", []),
      // Two values.
      ("--rule a", ["always"]), ("--rule=n", ["--rule=never"]), ("--rule x y l", ["latest"]),
      ("--rule x y --ru", ["--rule"]),
      // Arguments.
      ("run ", ["in-none"]), ("run --config x i", ["in-x"]), ("profile show --config=y ", ["in-y"]),
      ("lend in ", ["--echo", "--", "--help"]), ("lend in -", ["--echo", "--", "--help"]),
      ("lend ", ["in-none"]), ("lend --", ["--echo", "--help"]),
      // After two dashes, a word is an argument.
      ("connect -- l", ["latest"]), ("connect -- -", nil),
    ] as [(String, [String]?)])
  func words(line: String, expected: [String]?) {
    #expect(words(line) == expected)
  }

  @Test(
    "files, and commands",
    arguments: [
      ("./t", .files(after: 0)), ("connect /x", .files(after: 0)), ("usb:1:3", .files(after: 0)),
      ("--log ", .files(after: 0)), ("--log=", .files(after: 6)), ("-L./x", .files(after: 2)),
      ("-eL./x", .files(after: 3)), ("--report json=", .files(after: 5)),
      ("--report=json=x", .files(after: 14)), ("run in ", .files(after: 0)),
      ("-t ./x", .files(after: 0)), ("lend in -- ", .command(from: 3)),
      ("lend -e in -- make fl", .command(from: 4)), ("--exec ", .command(from: 1)),
      ("x --exec so", .command(from: 2)), ("--rule x ", .command(from: 2)),
      ("--rule=x so", .command(from: 1)), ("--rule x y --rule x so", .command(from: 5)),
      ("--exec=so", .words([])),
    ] as [(String, Completer.Answer)])
  func files(line: String, expected: Completer.Answer) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    #expect(Self.completer.answer(words) == expected)
  }

  @Test("every proposed word begins with the typed text, and bash can replace its part")
  func anyLine() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      " ", " ", "-", "--", "=", ":", ",", "'", "\"", "\\", "e", "r", "t", "rate", "time", "log",
      "lend",
      "run", "usb:1", "in-none", "help", "profile", "é", "9600", "steps", "on",
    ]
    for _ in 0..<5_000 {
      let text = (0..<Int.random(in: 0...12, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let line = TypedLine("p \(text)", breaks: " \t\n\"'><=;|&(:")
      let typed = line.words[line.words.count - 1]
      #expect(line.kept <= typed.count)
      let answer = Self.completer.answer(Array(line.words.dropFirst()))
      switch answer {
      case .words(let candidates):
        for candidate in candidates { #expect(candidate.word.hasPrefix(typed), "\(text)") }
      case .files(let count): #expect(count <= typed.count, "\(text)")
      case .command(let index): #expect((1..<line.words.count).contains(index + 1), "\(text)")
      }
      for shell in Shell.allCases { #expect(!shell.reply(answer, to: line).isEmpty) }
    }
  }

  @Test("candidates have descriptions")
  func descriptions() {
    #expect(
      Self.completer.answer(["pro"]) == .words([.init("profile", "About profiles.")]))
    #expect(Self.completer.answer(["con"]) == .words([.init("connect", "Does connect.")]))
    #expect(Self.completer.answer(["--rat"]) == .words([.init("--rate", "The rate.")]))
    #expect(Self.completer.answer(["--time=s"]) == .words([.init("--time=short", "a short one")]))
    #expect(Self.completer.answer(["u"]) == .words([.init("usb:1:2", "an adapter")]))
    #expect(
      Self.completer.answer(["--no-ti"])
        == .words([.init("--no-time", "Without --time of the configuration.")]))
    #expect(
      Self.completer.answer(["--steps", "w"]) == .words([.init("wait=", isBeginning: true)]))
  }
}
