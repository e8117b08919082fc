import Configuration
import Dialogues
import Options
import Patterns
import ProgramCommands
import SystemPackage
import Testing
import TextTools

@testable import serialterm

@Suite("Advice for wrong usage")
struct UsageAdviceTests {
  /// The message for a command line that is refused before devices are searched.
  private func message(_ line: String) -> String? {
    let words = line.split(separator: " ").map(String.init)
    guard case .command(let command, let rest) = Invocation(words) else { return nil }
    let description = command.description
    do {
      let given = try command.given(by: rest)
      _ = try command.init(Values(given, of: description.declarations))
      return UsageAdvice.message(forTargets: given["target"] ?? [], words: words)
    } catch let error as WordError {
      return UsageAdvice.message(for: error, in: description, words: rest)
    } catch let error as UsageError {
      return UsageAdvice.message(for: error, in: description)
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "each mistake is answered with the intended word, and with the help for it",
    arguments: [
      ("--list", "unknown option '--list': use 'serialterm list'."),
      ("x -c", "unknown option '-c': use --local-echo for an echo, --config FILE"),
      ("x -v", "unknown option '-v': use 'serialterm --version' for the version;"),
      ("send x -V", "unknown option '-V': use 'serialterm --version' for the version;"),
      ("x -S", "unknown option '-S': use --listen [HOST:]PORT,raw or --unix PATH,raw."),
      ("serve x --socket inet:1", "unknown option '--socket': use --listen [HOST:]PORT,raw or"),
      ("x -L", "--log needs a value: --log FILE. 'serialterm list' lists the devices."),
      ("x 8N1", "there is no device '8N1': did you mean -d 8 -p none -s 1?"),
      ("x 9600-7e2", "there is no device '9600-7e2': did you mean -b 9600 -d 7 -p even -s 2?"),
      (
        "x --dsrdtr",
        "unknown option '--dsrdtr': there is no flow control by DSR and DTR; --flow hard uses RTS"
      ),
      (
        "x --encoding UFT-8",
        "--encoding: unknown encoding UFT-8; did you mean UTF-8? See"
      ),
      ("x 9600,7e2", "there is no device '9600,7e2': did you mean -b 9600 -d 7 -p even -s 2?"),
      (
        "send x y 8N1",
        "unexpected argument '8N1': write TEXT in quotes if it has blanks, and -d 8 -p none -s 1"
      ),
      (
        "send x echo 42",
        "unexpected argument '42': write TEXT in quotes if it has blanks, and -b 42 for the line."
      ),
      ("tap x y z --zz", "unknown option '--zz'."),
      ("send x y --timeout 500 ms", "unexpected argument 'ms': write 500ms without a blank."),
      ("x -L a --log-rotate 10 MB", "there is no device 'MB': write 10M without a blank."),
      ("list x", "unexpected argument 'x': 'serialterm doctor x' examines one device."),
      ("monitor x", "unexpected argument 'x': 'serialterm x' shows what a device sends;"),
      ("monitor -p x", "unknown option '-p': 'serialterm TARGET' shows what a device sends;"),
      (
        "mcp loopback:board",
        "unexpected argument 'loopback:board': did you mean --allow loopback:board? See"
      ),
      ("log x -L y", "unknown option '-L': the file is an argument: 'serialterm log TARGET FILE'."),
      (
        "serve x -p 4000",
        "--parity '4000': expected one of none, odd, even, mark, space. A port of TCP is --listen"
      ),
      ("-s", "--stop-bits needs a value: --stop-bits BITS. Settings are in the configuration:"),
      ("x -C f", "unknown option '-C': use --log FILE."),
      (
        "tcp://lab:99999",
        "'tcp://lab:99999': expected tcp://HOST:PORT, or tcp://[ADDRESS]:PORT for IPv6; a port is 1 to 65535"
      ),
      ("x --eol LF", "unknown option '--eol': use --line-ending."),
      (
        "x --exit-char 3", "unknown option '--exit-char': use --prefix for another key than ctrl-t;"
      ),
      (
        "send x y --wait 2",
        "unexpected argument '2': --wait takes no time; --timeout or --linger does."
      ),
      (
        "run x y --wait 2s",
        "unexpected argument '2s': --wait takes no time; --timeout or --deadline does."
      ),
      (
        "x -b 9600,7e1",
        "--baud '9600,7e1' is not a baud rate: expected a whole number from 1 to 2147483647. Did you mean -b 9600 -d 7 -p even -s 1?"
      ),
      (
        "-serial ./A -sercfg 9600,8,n,1,N",
        "--stop-bits 'ercfg': expected one of 1, 2. PuTTY's -serial and"
      ),
      ("x --wait 2", "there is no device '2': --wait takes no time."),
      (
        "receive ./folder loopback:",
        "unexpected argument 'loopback:': the folder for the files is --into DIR."
      ),
      ("replay ./A x.log", "unexpected argument 'x.log': serialterm replay FILE [OPTIONS]."),
      ("x --expect a", "unknown option '--expect': it is an option of 'serialterm send'."),
      (
        "x --name a",
        "unknown option '--name': it is an option of 'serialterm receive' and 'serialterm rules'."
      ),
      (
        "x --timeout 2",
        "unknown option '--timeout': it is an option of 'serialterm monitor', 'serialterm send' and 'serialterm receive'."
      ),
      (
        "send x --file f --protocol ascii --timeout 2s",
        "--timeout is for what is expected: --protocol ascii needs --wait-for."
      ),
      ("x --keep 3", "unknown option '--keep': did you mean --log-keep?"),
      (
        "monitor --timeout 1 --deadline 1",
        "--deadline and --timeout of 'monitor' are the same: give one of them."
      ),
      (
        "send x y --timeout 2sec",
        "--timeout '2sec': expected seconds from 0.001 to 86400, or a time such as 500ms, 2s, 5min or 1h."
      ),
      ("send x --imap a", "unknown option '--imap'."),
      ("send x -n", "unknown option '-n': it is an option of 'serialterm connect'."),
      ("x --versoin", "unknown option '--versoin': did you mean --version?"),
      ("release x esptool.py -p {}", "unknown option '-p': write -- before COMMAND."),
      ("release x echo -- hi", "unexpected argument 'echo': write -- before COMMAND."),
      ("rules x", "--name is missing: serialterm rules TARGET --name NAME [OPTIONS]."),
      ("ttyUSB0 9600,cs8", "there is no device '9600,cs8': did you mean -b 9600?"),
      ("-xt iso8601 ./B", "'iso8601' is neither a device nor a time format."),
      (
        "x --color",
        "unknown option '--color': set NO_COLOR=1 for no colours; --highlight colours text."
      ),
      ("x --mute", "unknown option '--mute': use --quiet."),
      ("x --baudrate 9600", "unknown option '--baudrate': use --baud."),
      ("x --bauds 9600", "unknown option '--bauds': did you mean --baud?"),
      ("x --no-reconect", "unknown option '--no-reconect': did you mean --no-reconnect?"),
      (
        "x --names",
        "unknown option '--names': it is an option of 'serialterm list' and 'serialterm profile list'."
      ),
      ("list --baud 9", "unknown option '--baud': it is an option of 'serialterm connect'."),
      ("x --zzz", "unknown option '--zzz'."),
      (
        "x -5", "unknown option '-5': to name an argument that begins with '-', write -- before it."
      ),
      ("x --prefix a", "--prefix 'a': expected ctrl-a to ctrl-z, or none."),
      ("x --baud", "--baud needs a value: --baud RATE."),
      ("x --log -a", "--log needs a value: --log FILE. If '-a' is the value, write --log=-a."),
      ("x --hex=1", "--hex takes no value: '--hex=1'."),
      ("send", "TARGET is missing: serialterm send TARGET [TEXT] [OPTIONS]."),
      ("send x a b", "unexpected argument 'b': write TEXT in quotes if it has blanks."),
      ("log x a --log-keep 3", "--log-keep needs --log-rotate or --log-rotate-every."),
      ("ttyUSB0 9600", "there is no device '9600': did you mean -b 9600?"),
      (
        "-t iso8601 ./B",
        "'iso8601' is neither a device nor a time format. Time formats are time, iso, delta, start and epoch, with :us for microseconds."
      ),
    ])
  func advice(line: String, beginning: String) throws {
    let said = try #require(message(line))
    #expect(said.hasPrefix(beginning), "\(said)")
    let help = try #require(said.firstMatch(of: #/See 'serialterm ([a-z ]+) --help'\.$/#))
    #expect(HelpTopic.text(of: [String(help.output.1)]) != nil)
  }

  @Test(
    "a former name is answered with the present one, and what to write",
    arguments: [
      ("plot x --for 5", "--for is now --deadline: write --deadline TIME."),
      ("plot x --for=5", "--for is now --deadline: write --deadline TIME."),
      // These had no such option.
      ("run x y --for 5", "unknown option '--for': use --deadline."),
      ("monitor --for 5", "unknown option '--for': use --deadline."),
      (
        "log x a --for 5",
        "unknown option '--for': to end it after a time, write 'timeout --foreground TIME serialterm log ...'."
      ),
      (
        "send x y --for 1",
        "unknown option '--for': use --linger (the quiet after the end); --timeout with --expect."
      ),
      ("send x y --start-timeout 2s", "--start-timeout is now --timeout: write --timeout TIME."),
      ("receive x --start-timeout 2", "--start-timeout is now --timeout: write --timeout TIME."),
      ("x --start-timeout 2", "unknown option '--start-timeout'."),
    ])
  func formerNames(line: String, beginning: String) throws {
    let said = try #require(message(line))
    #expect(said.hasPrefix(beginning), "\(said)")
    #expect(said.contains("See 'serialterm "))
  }

  @Test("each wait has one of the three names, in all commands")
  func waits() {
    // An interval, and the limit of one act.
    let others: Set = ["every", "drain"]
    for command in Subcommands.all.map({ $0.description }) {
      for declaration in command.declarations where declaration.kind == .time {
        let name = declaration.name
        #expect(
          ["timeout", "linger", "deadline"].contains(name) || others.contains(name)
            || declaration.placeholder == "MS", "\(command.name) --\(name)")
      }
    }
  }

  @Test(
    "a misspelt command is recognised",
    arguments: [
      ("conect ttyUSB0", "connect"), ("connetc ttyUSB0", "connect"), ("sedn ttyUSB0 x", "send"),
    ])
  func misspeltCommand(line: String, command: String) {
    let word = line.prefix { $0 != " " }
    #expect(
      message(line) == "'\(word)' is not a command: did you mean 'serialterm \(command)'?")
  }

  @Test(
    "a TARGET that leads nowhere is a misspelt command, profile or device; another number is another device",
    arguments: [
      ("lsit", "the command 'serialterm list'"), ("ls", "the command 'serialterm list'"),
      ("version", "'serialterm --version'"), ("8N1", "-d 8 -p none -s 1"),
      ("ttyUSB0,9600", "'ttyUSB0 -b 9600'"), ("kichen", "the profile 'kitchen'"),
      ("9600", "-b 9600"), ("ttyUBS0", "'ttyUSB0'"), ("ttyUSB1", nil), ("ttyACM0", nil),
      ("something", nil), ("ttyUBS1", "'ttyUSB0'"), ("ttyS1", nil), ("ttyAMC0", nil),
      ("ttySUB0", "'ttyUSB0'"), ("ttyA0", "'ttyS0'"),
      (
        "lab:4021",
        "'rfc2217://lab:4021' (a server's serial port), 'telnet://lab:4021' (a telnet server) or "
          + "'tcp://lab:4021' (bytes alone)"
      ),
      (
        "[::1]:23",
        "'rfc2217://[::1]:23' (a server's serial port), 'telnet://[::1]:23' (a telnet server) or "
          + "'tcp://[::1]:23' (bytes alone)"
      ),
    ] as [(String, String?)])
  func misspeltTarget(text: String, meaning: String?) {
    #expect(
      UsageAdvice.meaning(
        ofTarget: text, isFirstWord: true, nodes: { ["ttyUSB0", "ttyS0"] },
        profiles: { ["kitchen"] })
        == meaning)
  }

  @Test(
    "a misspelt device is never the kernel's console", arguments: ["ttyUBS0", "ttyAMC0", "ttyUS0"])
  func noDeviceOfAnotherKind(text: String) {
    #expect(
      UsageAdvice.meaning(
        ofTarget: text, isFirstWord: true, nodes: { ["ttyS0"] }, profiles: { [] }) == nil)
  }

  @Test(
    "a device behind another argument is named, and what it needs",
    arguments: [
      ("run t.serial loopback:board", "'serialterm run loopback:board t.serial'"),
      ("log x.log ./A", "'serialterm log ./A x.log'"),
      ("log x.log y.log ./A", "'serialterm log ./A x.log'"),
      ("send hello ./A", "'serialterm send ./A hello'"),
      // The device may be absent, and the text like a TARGET.
      ("send ttyUSB0 ./A", nil), ("send /dev/board ./A", nil), ("log ./A ./A", nil),
      ("send new ./A", nil), ("send port:80 ./A", nil),
      ("run ./B t.serial", nil), ("send hello world", nil),
    ] as [(String, String?)])
  func order(line: String, right: String?) throws {
    let words = line.split(separator: " ").map(String.init)
    guard case .command(let command, let rest) = Invocation(words) else { return }
    let said = UsageAdvice.message(
      forOrderOf: try command.given(by: rest), in: command.description,
      isDevice: { ["./A", "loopback:board"].contains($0) })
    #expect(
      said
        == right.map {
          "'\(words[1])' is no device, and '\(deviceIn($0))' is one. The device comes first: \($0)."
        })
  }

  private func deviceIn(_ line: String) -> Substring { line.split(separator: " ")[2] }

  @Test("the same device twice is named, in all spellings")
  func same() {
    #expect(
      UsageAdvice.message(forSame: [("./A", "/dev/a"), ("./A", "/dev/a")])
        == "./A is named twice: name each device once.")
    #expect(
      UsageAdvice.message(forSame: [("./A", "/dev/a"), ("./B", "/dev/b"), ("./C", "/dev/a")])
        == "./A and ./C are the same device: name it once.")
    // Absent ones may be of different names.
    #expect(UsageAdvice.message(forSame: [("./A", nil), ("./B", nil)]) == nil)
  }

  @Test(
    "help about an option or a command of a session says where it is",
    arguments: [
      ("map", "'map' is an option: see 'serialterm help connect all'."),
      ("--map", "'--map' is an option: see 'serialterm help connect all'."),
      ("every", "'every' is an option: see 'serialterm help send all'."),
      ("take-pen", "'take-pen' is a command of a session: see 'serialterm help keys'."),
      ("conect", "there is no help about 'conect': did you mean 'serialterm help connect'?"),
      ("target", "there is no help about 'target': did you mean 'serialterm help targets'?"),
      ("script", "there is no help about 'script': did you mean 'serialterm help scripts'?"),
      ("profiles", "there is no help about 'profiles': did you mean 'serialterm help profile'?"),
      ("ls", "there is no help about 'ls': did you mean 'serialterm help list'?"),
      ("port", "'port' is an option: see 'serialterm help replay all'."),
      ("name", "'name' is an option: see 'serialterm help receive all'."),
    ])
  func helpAbout(word: String, beginning: String) {
    #expect(UsageAdvice.message(forHelpAbout: [word]).hasPrefix(beginning))
  }

  @Test(
    "a key that is almost one is recognised",
    arguments: [
      ("local_echo", "local-echo"), ("bauds", "baud"), ("baudrate", "baud"), ("nonsense", nil),
      // The script is for the command line only.
      ("log-file", "log"), ("script-file", nil), ("rs_485", "rs485"), ("color", nil),
    ] as [(String, String?)])
  func keys(key: String, meant: String?) { #expect(UsageAdvice.key(meantBy: key) == meant) }

  @Test(
    "absent devices are not taken for another word",
    arguments: [
      "connect ttyUSB0 ttyUSB1", "connect --wait 3dprinter A", "connect --wait A 1-1.2",
      "connect A s", "serve A 1-2,9600",
    ])
  func absentDevices(line: String) {
    #expect(message(line) == nil)
  }

  @Test("a unit needs a number before it")
  func units() {
    #expect(message("send A .. s")?.hasPrefix("unexpected argument 's': write TEXT") == true)
  }

  @Test("the advice names options and commands that exist, instead of options that do not")
  func table() throws {
    let connect = HelpTopic.text(of: ConnectCommand.description, isComplete: true)
    let known = Set(connect.matches(of: #/--?[a-zA-Z0-9-]+/#).map { String($0.output) })
    let program = try #require(HelpTopic.text(of: []))
    for (option, advice) in UsageAdvice.otherNames {
      #expect(!known.contains(option), "\(option)")
      let command = advice.firstMatch(of: #/serialterm ([a-z]+)/#).map { String($0.output.1) }
      let help = HelpTopic.text(of: [command ?? "connect", "all"])
      let text = connect + program + (try #require(help, "\(advice)"))
      for named in advice.matches(of: #/--[a-z0-9-]+/#) {
        #expect(text.contains(named.output), "\(advice)")
      }
    }
  }

  @Test("every help has 80 columns, examples right after the usage, and no parameter twice")
  func helps() throws {
    for command in Subcommands.all.map({ $0.description }) {
      let names = command.declarations.map(\.name)
      #expect(Set(names).count == names.count, "\(command.name)")
      let text = HelpTopic.text(of: command, isComplete: true)
      let brief = HelpTopic.text(of: command, isComplete: false)
      for text in [text, brief] {
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(command.name)")
        let blocks = text.split(separator: "\n\n").map(String.init)
        #expect(blocks[1].hasPrefix("Usage: serialterm \(command.name)"))
        #expect(blocks[2].hasPrefix("EXAMPLE"), "\(command.name)")
      }
      #expect(brief.split(separator: "\n").count <= 52, "\(command.name)")
      for used in command.mostUsed { #expect(names.contains(used.name), "\(used.name)") }
      for declaration in command.declarations where !declaration.isArgument {
        #expect(text.contains("--\(declaration.name)"), "\(command.name)")
        #expect(declaration.summary.hasSuffix("."), "\(declaration.name)")
      }
    }
    for topic in ["snippets", "sharing", "logs", "web"] {
      let text = try #require(HelpTopic.text(of: [topic]))
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 25, "\(topic)")
    }
    for topic in [""] + HelpTopic.subjects.map(\.name) + ["profile"] {
      let text = try #require(HelpTopic.text(of: topic.isEmpty ? [] : [topic]))
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(topic)")
    }
  }

  @Test("the first screen of a session's help says what a device is called, and what needs none")
  func firstScreen() throws {
    for topic in [[], ["connect"]] {
      let text = try #require(HelpTopic.text(of: topic))
      let screen = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(24)
        .joined(separator: "\n")
      #expect(screen.contains("serialterm list "))
      #expect(screen.contains("loopback:board"))
    }
  }

  @Test("a topic is found by the words of other programs, and a command's own help comes first")
  func otherWords() throws {
    for (word, topic) in [
      ("macros", "snippets"), ("snippet", "snippets"), ("share", "sharing"), ("browser", "web"),
    ] {
      #expect(HelpTopic.text(of: [word]) == HelpTopic.text(of: [topic]))
    }
    let log = try #require(HelpTopic.text(of: ["log"]))
    #expect(log.contains("serialterm log TARGET"))
    #expect(log.hasSuffix("More: serialterm help logs\n"))
    // No word has two meanings.
    let names =
      HelpTopic.subjects.flatMap { [$0.name] + $0.otherNames } + Subcommands.all.map { $0.name }
    #expect(Set(names).count == names.count)
  }

  // MARK: What users write

  @Test("the examples of the help are commands", arguments: ["snippets", "sharing", "logs", "web"])
  func examples(topic: String) throws {
    let text = try #require(HelpTopic.text(of: [topic]))
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("  serialterm ") }
    #expect(lines.isEmpty == (topic == "snippets"))
    for line in lines {
      let words = line.prefix { $0 != "#" }.filter { $0 != "'" }.dropFirst("  serialterm ".count)
      #expect(message(String(words)) == nil, "\(line)")
    }
  }

  @Test("the snippets of the help are a configuration, and have the keys that it names")
  func snippets() throws {
    let file = try ConfigurationFile(
      parsing: Array(HelpTopic.exampleSnippets.utf8), check: ProfileFile.check)
    let profile = try #require(file.profiles.first)
    let keys = Snippet.snippets(of: profile.entries).map {
      "\($0.key.map(String.init) ?? "") \($0.name)"
    }
    #expect(keys == ["1 version", "z reboot", "2 interrupt"])
  }

  @Test("the steps of the help are steps of a script")
  func scripts() throws {
    _ = try Dialogue(parsing: Array(HelpTopic.exampleScript.utf8))
    for (step, _) in HelpTopic.scriptTerms {
      let rest =
        step.hasPrefix("expect-one-of") ? "\n/a/\n}" : step.hasSuffix("{") ? "\nwait 1s\n}" : ""
      #expect(throws: Never.self) { try Dialogue(parsing: Array((step + rest).utf8)) }
    }
    // The error for another word names every step.
    let error = #expect(throws: DialogueError.self) { try Dialogue(parsing: Array("x".utf8)) }
    let message = error.map { "\($0)" } ?? ""
    let list = try #require(message.split(separator: "expected ").last)
    let steps = list.matches(of: #/[a-z-]+/#).map { String($0.output) }
    let explained = HelpTopic.scriptTerms.map { String($0.term.prefix { $0 != " " }) }
    #expect(Set(steps).subtracting(["or"]) == Set(explained))
  }

  @Test("the commands of the help are commands of JSON, and so are its examples")
  func json() throws {
    for line in HelpTopic.exampleJSON.split(separator: "\n") {
      _ = try JSONCommand(JSON(parsing: String(line)))
    }
    for name in HelpTopic.jsonCommands.flatMap({ $0.0.split(separator: ", ") }) {
      let text = #"{"command": "\#(name)"}"#
      // A cancel acts before it is its turn.
      if ProgramLine.messages(of: .success(text)).allSatisfy(\.isCancel) { continue }
      let mistake = Result { try JSONCommand(JSON(parsing: text)) }
      if case .failure(let error) = mistake {
        #expect(!"\(error)".hasPrefix("expected a command"), "\(name)")
      }
    }
    let text = try #require(HelpTopic.text(of: ["json"]))
    let line = try #require(text.firstRange(of: #"{"command": "statistics"}"#))
    _ = try JSONCommand(JSON(parsing: String(text[line])))
  }

  @Test("the parts of an expression in the help can be used")
  func expressions() throws {
    for (term, _) in HelpTopic.regexTerms {
      for part in term.split(separator: " ") {
        #expect(throws: Never.self, "\(part)") { try Pattern(parsing: String(part)) }
      }
    }
  }

  // MARK: Configuration

  @Test(
    "a value of a configuration file becomes the texts of a parameter",
    arguments: [
      ("baud", .integer(300), ["300"]), ("linger", .number(0.5), ["0.5"]),
      ("linger", .integer(1), ["1"]), ("hex", .boolean(true), ["true"]),
      ("hex", .boolean(false), []), ("timestamps", .boolean(false), []),
      ("log", .boolean(false), []),
      ("timestamps", .boolean(true), ["time"]), ("reconnect", .boolean(false), ["false"]),
      ("no-reconnect", .boolean(true), ["false"]), ("shared", .boolean(true), ["false"]),
      ("map", .string("-x"), ["-x"]), ("log", .array([.string("a"), .string("b")]), ["a", "b"]),
      ("log", .array([.integer(1)]), nil), ("baud", .string("300"), nil),
      ("linger", .string("500ms"), ["500ms"]), ("byte-delay", .integer(2), ["2"]),
      ("hex", .integer(1), nil), ("baud", .number(1.5), nil), ("map", .array([]), nil),
    ] as [(String, Value, [String]?)])
  func configured(key: String, value: Value, texts: [String]?) throws {
    let declaration = try #require(ConnectCommand.description.declarations.configurable(key))
    #expect(declaration.texts(of: value, key: key) == texts)
  }

  @Test("options for one call of a command are not keys of a configuration file")
  func keys() {
    let others: Set<String> = [
      "config", "profile", "exec", "filter", "json", "file", "hex", "escapes", "expect", "print",
      "report", "script", "on-match", "on-disconnect", "stdio", "list",
      "force", "into", "name", "overwrite", "max-size", "csv", "svg", "form", "match", "window",
      "range", "log-scale", "rate", "every", "count", "expect-frame",
      "pty", "passive", "console", "messages", "profiles",
    ]
    for command in Subcommands.profiled.map({ $0.description }) {
      for declaration in command.declarations where !declaration.isArgument {
        let isKey = command.declarations.configurable(declaration.name) != nil
        #expect(
          isKey != others.contains(declaration.name)
            || (declaration.name == "hex" && ["connect", "attach", "tap"].contains(command.name))
            // A profile limits the time of a script, not how long a plot is looked at.
            || (declaration.name == "deadline" && command.name == "plot"),
          "\(declaration.name)")
      }
    }
  }
}
