import SerialCore

/// Why something cannot be done now: a code for programs, and the same for people.
struct Reason: Hashable {
  /// The code, such as `no-device`. It stays the same when the text changes. docs/json.md lists
  /// all codes.
  let code: String
  /// The text, such as "no device": the end of a sentence, without a full stop. A name in it is as
  /// its owner has typed it.
  let text: String

  init(_ code: String, _ text: String) { (self.code, self.text) = (code, text) }
}

extension Reason: CustomStringConvertible {
  var description: String { text }
}

/// The reasons of every ``Need``. All who take part get them from here: lists and messages for
/// people, JSON, pages, agents, and members in other programs.
extension Reason {
  // The port.
  static let noDevice = Reason("no-device", "no device")
  static let opening = Reason("opening", "the port is opening")
  static let released = Reason("released", "port released")
  static let ending = Reason("ending", "the session ends")
  static let noSettings = Reason("no-settings", "this port has no line settings")
  static let noBreak = Reason("no-break", "this port has no break")
  static let noModemLines = Reason("no-modem-lines", "this port has no modem lines")
  static let onlyOnePort = Reason("one-port", "only 1 port")
  static let severalPorts = Reason("several-ports", "several ports")
  static let noFreePort = Reason("no-free-port", "no free port")

  // Who may write.
  static let readOnly = Reason("read-only", "read-only")
  static let mayOnlyRead = Reason(
    "not-permitted", "not allowed: the server was started without --write, so it only reads")
  static let mayOnlyWrite = Reason(
    "not-permitted",
    "not allowed: the server was started with --ask, which is only about writing")
  static let tapped = Reason("tap", "a tap sends nothing")
  static let mayOnlyWatch = Reason("nobody-writes", "you only watch")
  static let nobodyWrites = Reason("nobody-writes", "nobody writes here")
  static let everyoneWrites = Reason("everyone-writes", "everyone writes")
  static let onlyWatches = Reason("pen-free", "you are only watching")
  static let hasPen = Reason("has-pen", "you have the pen")
  static let asking = Reason("asking", "you have asked, and wait for an answer")
  static let notAsked = Reason("not-asked", "nobody asks for the pen")
  static let mayNotTake = Reason("may-not-take", "not allowed here")
  static func penOf(_ name: String) -> Reason { Reason("pen-held", "\(name) has the pen") }

  // Who is there.
  static let alone = Reason("alone", "nobody else is here")
  static let joined = Reason("joined", "joined session")
  static let refused = Reason("refused", "the owner of the session refuses it")
  static let oldOwner = Reason("old-owner", "the session is of an older version")
  static let notServed = Reason("not-served", "not served")
  static let scripted = Reason("scripted", "in use by a script; released when it finishes")

  /// That a command is not for users of a kind.
  static func notFor(_ user: UserKind) -> Reason {
    switch user {
    case .person: Reason("not-for-people", "only programs use it")
    case .script: Reason("no-user", "there is no user")
    case .agent: Reason("not-for-agents", "this is not for agents")
    case .page: Reason("not-for-pages", "this is not for pages")
    }
  }

  // What runs.
  static let nothingRuns = Reason("nothing-runs", "nothing runs")
  static func busy(_ exchange: Author) -> Reason { Reason("busy", exchange.activity) }
  static func playing(_ sequence: String) -> Reason { Reason("playing", "\(sequence) is playing") }

  // The view.
  static let noTerminal = Reason("no-terminal", "the output is not a terminal")
  static let cannotDraw = Reason("cannot-draw", "this terminal cannot draw")
  static let noColours = Reason("no-colours", "no colours: NO_COLOR or TERM")
  static let raw = Reason("raw", "raw is on")
  static let crowded = Reason("queue-full", "the queue is full, the device is too slow")
  static let noLog = Reason("no-log", "no log is on")
  static let logOfSeveralPorts = Reason("several-ports", "several ports share the log")
  static let noFilter = Reason("no-filter", "no --filter")
  static let noScrollback = Reason("no-scrollback", "the scrollback is off: --scrollback is 0")
  static let noNumbers = Reason("no-numbers", "no numbers seen yet")
  static func mapped(_ contradiction: String) -> Reason { Reason("mapped", contradiction) }
  static let noPlot = Reason("no-plot", "no plot is open")
}
