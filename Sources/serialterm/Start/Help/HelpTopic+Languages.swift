import Options
import TransferProtocols

/// The help about what users write: expressions, scripts and JSON.
extension HelpTopic {
  // MARK: Regular expressions

  static var regex: String {
    var help = HelpText()
    help.add(
      paragraphs: """
        One dialect is used everywhere: --expect, --prompt, --wait-for, --highlight, --match, --on-match, \
        scripts, --json, and the search of a session (ctrl-t /). Quote an expression for the shell: 'OK|ERROR'.
        """)
    help.add(
      example: """
        serialterm send ttyUSB0 'temp?' --expect 'temp=(\\d+)\\r' --print 1
        serialterm ttyUSB0 --highlight 'ERROR|WARN=red'
        """)
    help.add("EXPRESSIONS", regexTerms, indentation: 22)
    help.add(
      paragraphs: """
        There are no back-references and no lookahead, so no expression can take long. Of all matches the \
        one that begins first counts. --expect matches as soon as it can: end it with what follows, as in \
        'temp=(\\d+)\\r'. '> $' is a prompt after which nothing has come yet.
        """)
    help.add("More: man 7 serialterm-expressions")
    return help.text
  }

  /// The parts of a regular expression, with examples.
  static let regexTerms: [(term: String, meaning: String)] = [
    (".", "any character except CR and LF"),
    ("[a-z_]  [^0-9]", "one of these characters; any other character"),
    ("\\d \\w \\s", "a digit, a word character, white space; \\D \\W \\S are the others"),
    ("^  $", "the start and the end of a line"),
    ("\\b  \\B", "a word boundary; no word boundary"),
    ("(a)  (?:a)  (?<name>a)", "a group; one without a number; one with a name"),
    ("a|b", "one or the other"),
    ("a*  a+  a?  a{2,5}", "repeated; with ? after it, as short as possible"),
    ("\\r \\n \\t \\e \\0 \\x41", "characters"),
    ("\\.  \\(  \\/", "the character itself"),
    ("(?i)a  (?s)a", "at the start: ignore case; let . match CR and LF"),
  ]

  // MARK: Scripts

  static var scripts: String {
    var help = HelpText()
    help.add(
      paragraphs: """
        A script for 'serialterm run TARGET SCRIPT' or 'serialterm connect TARGET --script SCRIPT' has one \
        step on each line; # starts a comment. It is checked before anything is sent.
        """)
    help.add("EXAMPLE\n" + indented(exampleScript))
    help.add("STEPS", scriptTerms, indentation: 32)
    help.add(
      paragraphs: """
        In a text, \\r \\n \\t \\e \\0 \\\\ \\" \\$ and \\xHH are bytes, $0 is the text of the last match and $1 to $9 \
        are its groups. An expect searches everything since the last match, and waits for --timeout (5 s) \
        unless it says 'within'. Times are 500ms, 2s, 5min.
        """)
    help.add("More: serialterm run --help, serialterm help regex, man 7 serialterm-scripting")
    return help.text
  }

  static let exampleScript = """
    expect /login: / within 30s
    send "root\\r"
    expect-one-of {
      /# $/
      /Password:/ {
        fail "the board wants a password"
      }
    }
    send "uname -r\\r"
    expect /(\\d+\\.\\d+)/
    print "kernel $1"
    """

  /// The steps of a script, each with a line as an example.
  static let scriptTerms: [(term: String, meaning: String)] = [
    (#"send "TEXT\r""#, "sends; goes on when all is sent"),
    (#"send file "F" by ymodem"#, "sends a file, or by \(names(besides: .ymodem))"),
    (
      #"receive into "DIR" by zmodem"#,
      "receives files, or by \(namesOfReceivers(besides: .zmodem))"
    ),
    (#"receive file "F" by xmodem"#, "receives one file"),
    ("expect /REGEX/ within 10s", "waits for text from the device"),
    ("expect-one-of within 10s {", "waits for the first of several, one a line"),
    ("wait 500ms", "waits"),
    ("repeat 3 {", "repeats the steps up to }"),
    ("repeat 9 every 1s {", "begins a round each second"),
    ("repeat 9 every 1s until /OK/ {", "ends when the text comes"),
    ("try {", "a timeout in it goes to } else {"),
    ("set dtr on", "sets DTR or RTS, on or off"),
    ("set baud 9600", "sets the baud rate"),
    ("pulse rts 100ms", "toggles the line for a time"),
    ("break 250ms", "sends a break"),
    (#"print "TEXT""#, "prints a line on standard output"),
    (#"fail "TEXT""#, "ends with exit status 1"),
  ]

  /// The names of the other protocols that send files.
  private static func names(besides kind: TransferProtocol) -> String {
    TransferProtocol.allCases.filter { $0 != kind }.alternatives
  }

  /// The names of the other protocols that receive files, where the sender names them.
  private static func namesOfReceivers(besides kind: TransferProtocol) -> String {
    TransferProtocol.receiving.filter { $0 != kind && $0.sendsNames }.alternatives
  }

  // MARK: JSON

  static var json: String {
    var help = HelpText()
    help.add(
      paragraphs: """
        'serialterm connect TARGET --json' is for programs: it reads commands from standard input and writes \
        events to standard output, one JSON object on each line. 'serialterm attach SESSION --json' is the \
        same for a session of another terminal.
        """)
    help.add("EXAMPLE\n" + indented(exampleJSON))
    help.add("COMMANDS, each with an optional id that its answer repeats", jsonCommands)
    help.add("EVENTS", jsonEvents, indentation: 14)
    help.add(
      paragraphs: """
        Every command of a session is a command by its name: {"command": "statistics"}; 'serialterm help \
        keys' lists them. "argument" is what the command would ask for: {"command": "pulse-line", \
        "argument": "dtr"}. With several TARGETs, commands and events have "port".
        """)
    help.add("More: man 7 serialterm-json")
    return help.text
  }

  static let exampleJSON = #"""
    {"id": 1, "command": "send", "text": "version\r"}
    {"id": 2, "command": "expect", "regex": "firmware (\\S+)\\r", "timeout": 2}
    """#

  /// The commands of JSON, with their members.
  static let jsonCommands: [(term: String, meaning: String)] = [
    ("send", "text, or hex: 64 KiB at most; done when all is sent"),
    ("expect", "regex; timeout: seconds (5), or as \"500ms\""),
    (
      "set",
      "dtr, rts: true or false; or "
        + LineParameters.all.settings.map(\.name).joined(separator: ", ")
    ),
    ("break", "milliseconds (250)"),
    (
      "send-file",
      "path; name, if not its own; protocol: \(TransferProtocol.standardToSend.rawValue) (default), "
        + names(besides: .standardToSend)
    ),
    (
      "receive-files",
      "into (.); protocol (\(TransferProtocol.standardToReceive.rawValue)); name, if the protocol "
        + "sends none"
    ),
    ("release, take-back", "lends the port to other programs; done when it is closed here"),
    ("start-log, stop-log", "path; append: true or false"),
    ("read-log", "offset, bytes; done with a piece of the log: data, size, name"),
    ("watch", "events: people, commands, lines, counters, repetition, plot; received: shown"),
    ("ask-pen, give-pen", "asks for the pen; to: gives it to a member"),
    ("keep-pen, return-pen", "refuses who asks; gives it back; take-pen takes it"),
    ("plot", "width, height; done with a picture: svg"),
    ("snippet: NAME", "sends a snippet of the profile; sequence: NAME plays a sequence"),
    ("repeat, stop", "argument: a time and a text, \"1s status\"; ends it"),
    ("cancel", "stops the send, expect, read-log, transfer or release that runs"),
    ("close", "ends the session"),
  ]

  /// The events of JSON, with their members.
  static let jsonEvents: [(term: String, meaning: String)] = [
    ("hello", "version; ports, if there are several"),
    ("state", "state: open, waiting, released or closed; node; settings, when open"),
    ("received", "time; text, or hex if the bytes are not UTF-8"),
    ("symbols", "address, frames (function, place): of a line, with --elf"),
    ("line-errors", "framing, parity, overrun, buffer-overrun, break: new ones"),
    ("done", "id; match, of expect: the whole match and its groups; message"),
    ("failed", "id; reason: 'timeout' if the text did not arrive"),
    ("progress", "of a transfer: name, position, size, rate, retries"),
    ("file", "one was transferred: name, size, bytes, milliseconds, retries, path"),
    ("message", "text for a person, about a transfer"),
    ("repetition-ended", "text, reason, code, sent, late: of repeat"),
    ("people", "you, pen, holder, others, asking, may-take: after watch"),
    ("commands", "name, title, value, reason, argument, choices of each: after watch"),
    ("lines", "dtr, rts, cts, dsr, dcd, ri: after watch"),
    ("counters", "what the driver has counted: after watch"),
    ("repetition", "text, interval, count, sent: after watch"),
    ("missed", "bytes that were left out, because they were not read"),
    ("ended", "reason: the joined session has ended"),
  ]

  static func indented(_ lines: String) -> String {
    lines.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }
}
