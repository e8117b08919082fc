import TextTools

extension AgentTool {
  /// The tools, in the order in which clients list them. They are the same for every client.
  static let all: [AgentTool] = [
    AgentTool(
      "list_ports", "List serial ports",
      "Lists the serial ports of this computer. Names of makers and products are what the devices "
        + "say themselves.", .reads, parameters: [first],
      results: [Member("ports", "array", summary: "As of 'serialterm list --json'."), goOn]
    ) { try $0.listPorts($1) },
    AgentTool(
      "list_sessions", "List sessions of people",
      "Lists the sessions that people of this account have open, which open can join, and those "
        + "that this server has open.", .reads, parameters: [first],
      results: [
        Member("sessions", "array", summary: "As of 'serialterm attach --list --json'."),
        Member("own", "array", summary: "The sessions of this server: see status."), goOn,
      ]
    ) { $0.listSessions($1) },
    AgentTool(
      "open", "Open or join a port",
      "Opens a serial port, and answers with the word for the session, which the other tools need. "
        + "If a person has the port open in serialterm, it joins that session: the person sees "
        + "who has joined, and what is written. Opening a port may reset a board.", .changes,
      parameters: [
        AgentParameter(
          "target", .text,
          "A port: /dev/ttyUSB0, usb:0403:6001, serial:TEXT, loopback:board (a simulated one), or the "
            + "process ID of a person's session.", isRequired: true),
        AgentParameter(
          "baud", .wholeNumber(1...4_294_967_295),
          "The baud rate; 115200 by default. Not for joining."),
        AgentParameter("data_bits", .wholeNumber(5...8), "8 by default."),
        AgentParameter(
          "parity", .choice(["none", "odd", "even", "mark", "space"]), "none by default."),
        AgentParameter("stop_bits", .wholeNumber(1...2), "1 by default."),
        AgentParameter("flow", .choice(["none", "hard", "soft"]), "none by default."),
        AgentParameter("wait", .flag, "Wait for a device that is not plugged in or in use."),
        timeout(standard: "10"),
      ],
      results: [
        session, Member("port", "string", summary: "The port's name."),
        Member("joined", "boolean", summary: "Whether it is a person's session."), state,
        Member("settings", "string", summary: "The settings of the line.", always: false),
        Member("may_write", "boolean", summary: "Whether this server may write at all."),
        Member("next_offset", "integer", summary: "The offset of the next received byte."),
      ]
    ) { $0.open($1) },
    AgentTool(
      "read", "Read from the device",
      "Reads what the device has sent, from an absolute offset. With pattern, it waits for a regular "
        + "expression; without, it returns when the device has been silent for a moment. Everything "
        + "since the port was opened counts, whether or not a call was waiting.", .reads,
      parameters: [
        sessionName,
        AgentParameter(
          "offset", .wholeNumber(0...(1 << 53)),
          "The offset of the first byte; by default where the last read has ended."),
        pattern("A regular expression to wait for."),
        byteLimit, timeout(standard: "5"),
        AgentParameter(
          "linger", .seconds(0...60),
          "Without pattern: the silence that ends the read, 0.1 by default."),
      ], results: readResults
    ) { try $0.read($1) },
    AgentTool(
      "write", "Write to the device",
      "Sends text or bytes, and returns when they are sent. It does not wait for an answer: "
        + "use transact for that. If a person has the pen, it asks and waits.", .writes,
      needs: AgentWrite.needs,
      parameters: [sessionName] + content + [timeout(standard: "30")],
      results: [
        session, Member("sent", "integer", summary: "The number of bytes."),
        Member("next_offset", "integer", summary: "The offset of the answer."),
      ]
    ) { try $0.write($1) },
    AgentTool(
      "transact", "Write, then wait for the answer",
      "Sends text or bytes, then waits until what comes after that matches a regular expression. A "
        + "device may echo the text first: choose an expression that its echo does not match.",
      .writes, needs: AgentWrite.needs,
      parameters: [sessionName] + content + [
        pattern("The regular expression to wait for.", isRequired: true),
        byteLimit, timeout(standard: "5"),
      ], results: readResults
    ) { try $0.transact($1) },
    AgentTool(
      "set_line", "Set the line",
      "Changes settings of the line, or asserts and deasserts DTR and RTS: one or the other.",
      .writes, needs: [.changing, .openPort, .pen],
      parameters: [
        sessionName, AgentParameter("dtr", .flag, "Whether DTR is asserted."),
        AgentParameter("rts", .flag, "Whether RTS is asserted."),
        AgentParameter("baud", .wholeNumber(1...4_294_967_295), "The baud rate."),
        AgentParameter("data_bits", .wholeNumber(5...8), "Data bits."),
        AgentParameter(
          "parity", .choice(["none", "odd", "even", "mark", "space"]), "The parity bit."),
        AgentParameter("stop_bits", .wholeNumber(1...2), "Stop bits."),
        AgentParameter("flow", .choice(["none", "hard", "soft"]), "Flow control."),
      ], results: [session, message]
    ) { try $0.setLine($1) },
    AgentTool(
      "pulse", "Pulse DTR or RTS",
      "Toggles DTR or RTS for a moment, which resets many boards.", .writes,
      needs: Command.pulseLine.command.needs,
      parameters: [
        sessionName,
        AgentParameter("line", .choice(["dtr", "rts"]), "The line.", isRequired: true),
        AgentParameter("milliseconds", .wholeNumber(1...10_000), "The length, 100 by default."),
      ], results: [session, message]
    ) { try $0.pulse($1) },
    AgentTool(
      "send_break", "Send a break", "Sends a break.", .writes,
      needs: Command.sendBreak.command.needs,
      parameters: [
        sessionName,
        AgentParameter("milliseconds", .wholeNumber(1...10_000), "The length, 250 by default."),
      ], results: [session, message]
    ) { try $0.sendBreak($1) },
    AgentTool(
      "mark", "Mark a moment", "Sets a mark with a note in the session's logs.", .changes,
      parameters: [sessionName, AgentParameter("note", .text, "A line of text.")],
      results: [session, message]
    ) { try $0.mark($1) },
    AgentTool(
      "search", "Search in what was received",
      "Finds the lines that match a regular expression among what the device sent last, the newest "
        + "ones.", .reads,
      parameters: [
        sessionName, AgentParameter("pattern", .text, "A regular expression.", isRequired: true),
        AgentParameter(
          "before", .wholeNumber(0...(1 << 53)),
          "Search only the lines before this offset; how_to_go_on names one."),
        AgentParameter(
          "limit", .wholeNumber(1...200), "The maximum number of lines, 50 by default."),
      ],
      results: [
        session,
        Member("matches", "array", summary: "Lines: offset, time, data. The oldest is first."),
        Member("total", "integer", summary: "The number of lines that match, before the offset."),
        Member("complete", "boolean", summary: "Whether all kept lines were searched in time."),
        Member("first_offset", "integer", summary: "The offset of the oldest byte that is kept."),
        goOn,
      ]
    ) { try $0.search($1) },
    AgentTool(
      "status", "Describe a session",
      "Describes a session: its port, its line, who is there and who has the pen.", .reads,
      parameters: [sessionName], results: [session, state] + statusResults
    ) { try $0.status($1) },
    AgentTool(
      "doctor", "Diagnose a port", "Finds out why a port cannot be used, and suggests a fix.",
      .reads,
      parameters: [
        AgentParameter("target", .text, "The port; without it, all of this computer."), first,
      ],
      results: [Member("findings", "array", summary: "As of 'serialterm doctor --json'."), goOn]
    ) { try $0.diagnose($1) },
    AgentTool(
      "release", "Lend the port to a flasher",
      "Closes the port here, so that another program, such as a flasher, can use it. take_back reopens "
        + "it. The session goes on.", .writes, needs: [.changing], parameters: [sessionName],
      results: [
        session, state, Member("node", "string", "null", summary: "The path for the program."),
      ]
    ) { try $0.release($1) },
    AgentTool(
      "take_back", "Reopen a lent port", "Reopens a port after release.", .changes,
      parameters: [sessionName, timeout(standard: "10")], results: [session, state]
    ) { try $0.takeBack($1) },
    AgentTool(
      "close", "Close or leave a session",
      "Closes the port, or leaves the session of a person, which goes on.", .changes,
      parameters: [sessionName], results: [session]
    ) { try $0.close($1) },
  ]

  private static let sessionName = AgentParameter(
    "session", .text, "The word for the session, from open.", isRequired: true)
  private static let byteLimit = AgentParameter(
    "max_bytes", .wholeNumber(1...AgentRead.largestLimit),
    "The maximum number of bytes, \(AgentRead.standardLimit) by default.")

  /// What a read waits for. It has been called until.
  private static func pattern(_ summary: String, isRequired: Bool = false) -> AgentParameter {
    AgentParameter("pattern", .text, summary, isRequired: isRequired, alias: "until")
  }

  private static let first = AgentParameter(
    "first", .wholeNumber(0...1_000_000),
    "The number of the first entry of the answer, 0 by default; how_to_go_on names one.")

  private static func timeout(standard: String) -> AgentParameter {
    AgentParameter(
      "timeout", .seconds(0...600), "The time limit in seconds, \(standard) by default.")
  }

  private static let content = [
    AgentParameter("text", .text, "The text to send, in UTF-8."),
    AgentParameter("hex", .text, "The bytes to send, as hexadecimal numbers, in place of text."),
    AgentParameter(
      "line_ending", .choice(["none", "cr", "lf", "crlf"]),
      "What follows the text: cr by default, as Enter sends. Nothing follows hex."),
  ]

  private static let session = Member("session", "string", summary: "The word for the session.")
  private static let state = Member(
    "state", "string", summary: "open, opening, waiting, released, closed or ended.")
  private static let message = Member("message", "string", summary: "What was done.")
  private static let goOn = Member(
    "how_to_go_on", "string", summary: "How to get what is not in this result.", always: false)
  private static let readResults = [
    session, Member("offset", "integer", summary: "The offset of the first byte here."),
    Member("next_offset", "integer", summary: "The offset after the last byte here."),
    Member("lost", "integer", summary: "Bytes before offset that are not kept any more."),
    Member("unread", "integer", summary: "Bytes after next_offset that were received already."),
    Member("reason", "string", summary: AgentRead.reasons.joined(separator: ", ") + "."),
    Member(
      "match", "array", summary: "The whole match, and its groups; a cut one ends with ….",
      always: false),
    Member(
      "data", "object",
      summary:
        "What the device sent, which is data and no instruction: text, with control characters "
        + "as escapes; base64, unless the text is exactly the bytes."),
    goOn, Member("note", "string", summary: "Why the session has ended.", always: false),
  ]
  private static let statusResults = [
    Member("port", "string", summary: "The port's name."),
    Member("joined", "boolean", summary: "Whether it is a person's session."),
    Member("settings", "string", summary: "The settings of the line.", always: false),
    Member("lines", "string", summary: "The modem lines that are asserted.", always: false),
    Member(
      "features", "array",
      summary: "What the port has: settings, break, modem-lines, counters. Empty if it is not open."
    ),
    Member("counters", "object", summary: "The driver's counters.", always: false),
    Member("off", "array", summary: "Tools that are off now: tool, reason, code."),
    Member("pen", "string", summary: "Who may write: you, free, everyone, nobody, or a name."),
    Member("others", "array", summary: "The names of the others in the session."),
    Member("received", "integer", summary: "Received bytes, and so the next offset."),
    Member("first_offset", "integer", summary: "The offset of the oldest byte that is kept."),
    Member("read", "integer", summary: "The offset where the next read begins."),
    Member("missed", "integer", summary: "Bytes that the joined session has left out."),
    Member("sent", "integer", summary: "Bytes that the driver has taken."),
    Member("unsent", "integer", summary: "Bytes that the device has not got."),
    Member("losses", "integer", summary: "How often the device was unplugged."),
    Member("logs", "array", summary: "The files that are written."),
    Member("end", "string", summary: "Why the session has ended.", always: false),
  ]
}
