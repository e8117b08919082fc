import Sessions
import TransferProtocols

/// A command that only programs give: its record, as ``Command`` is for the others.
///
/// ``JSONController`` performs it when its conditions are met, and ``PublishedState`` publishes it.
struct ProgramRequest: Sendable {
  let name: String
  /// A description in a few words.
  let title: String
  /// Who may use it.
  let users: Set<UserKind>
  /// The conditions, first that of its ``users``.
  let needs: [Need]
  let arguments: [ArgumentForm]

  init(
    _ name: String, _ title: String, users: Set<UserKind>, needs: [Need] = [],
    arguments: [ArgumentForm] = []
  ) {
    (self.name, self.title, self.users, self.arguments) = (name, title, users, arguments)
    self.needs = [.users(users)] + needs
  }

  static let all: [ProgramRequest] = [
    send, expect, sendFile, receiveFiles, plot, askForPen, givePen, keepPen, returnPen, release,
    takeBack, startLog, stopLog, readLog, close,
  ]

  static let send = ProgramRequest(
    "send", "send text or bytes", users: [.script, .page, .agent], needs: Need.toSend,
    arguments: [
      optional("text", ArgumentForm("a text")),
      optional("hex", ArgumentForm("hexadecimal numbers")),
    ])

  static let expect = ProgramRequest(
    "expect", "wait for a text", users: [.script],
    arguments: [
      ArgumentForm("a regular expression").with { $0.name = "regex" },
      optional("timeout", ArgumentForm("seconds, or a time with a unit").with { $0.unit = "s" }),
    ])

  // MARK: Files

  static let sendFile = ProgramRequest(
    "send-file", "send a file", users: [.script, .page], needs: Need.toSend,
    arguments: [
      ArgumentForm.file.with { $0.name = "path" },
      optional(
        "protocol", .transferProtocol(TransferProtocol.allCases, unlessGiven: .standardToSend)),
      optional("name", ArgumentForm("the name that the device gets")),
    ])

  static let receiveFiles = ProgramRequest(
    "receive-files", "receive files", users: [.script], needs: Need.toSend,
    arguments: [
      optional("into", ArgumentForm("the path of a folder").with { $0.kind = .file }),
      optional(
        "protocol", .transferProtocol(TransferProtocol.receiving, unlessGiven: .standardToReceive)),
      optional("name", ArgumentForm("the name of the file, if the protocol sends none")),
    ])

  static let startLog = ProgramRequest(
    "start-log", "log to a file", users: [.script],
    arguments: [
      ArgumentForm.file.with { $0.name = "path" },
      optional("append", ArgumentForm("true or false").with { $0.kind = .flag }),
    ])

  static let stopLog = ProgramRequest("stop-log", "end the log", users: [.script], needs: [.log])

  static let readLog = ProgramRequest(
    "read-log", "read the session's log", users: [.script, .page], needs: [.readableLog],
    arguments: [
      optional(
        "offset",
        ArgumentForm("a whole number of bytes").with { ($0.kind, $0.unit) = (.number, "B") }),
      optional("bytes", .number(JSONCommand.LogPieceOrder.counts, unit: "B")),
    ])

  static let plot = ProgramRequest(
    "plot", "draw the numbers", users: [.script, .page], needs: [.numbers],
    arguments: [
      optional("width", .number(PlotPicture.Size.widths, unit: "px")),
      optional("height", .number(PlotPicture.Size.heights, unit: "px")),
    ])

  // MARK: The pen

  static let askForPen = ProgramRequest(
    "ask-pen", "ask for the pen", users: [.script, .page],
    needs: Command.penNeeds + [.withoutPen, .notAsking])

  static let givePen = ProgramRequest(
    "give-pen", "give the pen away", users: [.script, .page], needs: Command.penNeeds + [.pen],
    arguments: [
      ArgumentForm("the id of a member").with {
        ($0.name, $0.kind) = ("to", .number)
        $0.choices = { $0.sharing.others.map { "\($0.id)" } }
      }
    ])

  static let keepPen = ProgramRequest(
    "keep-pen", "keep the pen", users: [.script, .page],
    needs: Command.penNeeds + [.pen, .asked])

  static let returnPen = ProgramRequest(
    "return-pen", "give the pen back", users: [.script, .page], needs: Command.penNeeds + [.pen])

  // MARK: Lending

  static let release = ProgramRequest(
    "release", "lend the port", users: [.script, .agent], needs: Command.lendingNeeds)

  static let takeBack = ProgramRequest("take-back", "take the port back", users: [.script, .agent])

  // MARK: The end

  static let close = ProgramRequest("close", "end the session", users: [.script])

  private static func optional(_ name: String, _ form: ArgumentForm) -> ArgumentForm {
    form.with { ($0.name, $0.isOptional) = (name, true) }
  }
}

extension ArgumentForm {
  /// A protocol for file transfers.
  fileprivate static func transferProtocol(
    _ protocols: [TransferProtocol], unlessGiven standard: TransferProtocol
  ) -> ArgumentForm {
    .choice(of: protocols.map(\.rawValue)) { _ in standard.rawValue }
      .with { $0.titles = protocols.map(\.title) }
  }
}
