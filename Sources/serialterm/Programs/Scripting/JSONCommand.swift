import Options
import Patterns
import Posix
import SerialCore
import Sessions
import SystemPackage
import TextTools
import TransferProtocols

/// A JSON command from a program that drives the session. See docs/json.md.
enum JSONCommand {
  /// Sends text, which is converted to the encoding of the device, or bytes.
  case send(Content)
  case expect(ExpectedPattern, within: Duration)
  /// A command of the session, with the argument of its call, and whether the answer contains the
  /// message.
  case perform((CommandCall) -> Void, argument: String? = nil, saysMessage: Bool = true)
  case transfer(TransferOrder)
  /// Publishes parts of the observed state.
  case watch(WatchOrder)
  /// Draws the numbers of the device.
  case plot(PlotPicture.Size)
  /// Lends the port to other programs.
  case release
  case takeBack
  case startLog(FilePath, appending: Bool)
  case stopLog
  case readLog(LogPieceOrder)
  case close

  /// The record of a command that ``JSONController`` performs if its conditions are met; nil for
  /// one that checks them itself, and for those about the program's own events.
  var record: ProgramRequest? {
    switch self {
    case .send: .send
    case .expect: .expect
    case .transfer(let order): if case .send = order.files { .sendFile } else { .receiveFiles }
    case .plot: .plot
    case .release: .release
    case .takeBack: .takeBack
    case .startLog: .startLog
    case .stopLog: .stopLog
    case .readLog: .readLog
    case .close: .close
    case .perform, .watch: nil
    }
  }

  /// What a program wants to know, from now on.
  struct WatchOrder: Hashable {
    var parts: Set<PublishedState.Part> = []
    /// Whether numbers are recorded for a plot.
    var plots = false
    /// Whether received text is as harmless as on the screen.
    var showsText = false
  }

  /// A piece of the session's log.
  struct LogPieceOrder: Hashable {
    /// Where it begins, in bytes from the beginning of the log.
    var offset = 0
    /// The maximum number of its bytes.
    var count = LogDownload.longestPiece

    /// The possible numbers of bytes.
    static let counts = 1...LogDownload.longestPiece
  }

  /// What is sent.
  enum Content {
    case text(String)
    case bytes([UInt8])
  }

  /// The maximum number of bytes that one command sends.
  static let largestPiece = 65_536
  static let tooMuch = "too much at once: \(largestPiece) bytes at most"

  /// Parses a command.
  ///
  /// - Throws: ``Mistake``.
  init(_ json: JSON) throws(Mistake) {
    switch json["command"]?.string {
    case "send": self = .send(try Self.content(in: json))
    case "expect":
      guard let text = json["regex"]?.string else { throw Mistake("expect needs a regex") }
      let member = json["timeout"]
      let seconds =
        member == nil ? 5 : member?.double ?? member?.string.flatMap { WrittenTime($0)?.seconds }
      guard let seconds, (0.001...86_400).contains(seconds) else {
        throw Mistake("timeout: expected seconds from 0.001 to 86400, or a time such as \"500ms\"")
      }
      do {
        self = .expect(try ExpectedPattern.regex(text), within: .seconds(seconds))
      } catch {
        throw Mistake("\(error)")
      }
    case "set": self = .perform(try Self.setting(in: json), saysMessage: false)
    case "break":
      let command = Command.sendBreak
      let member = json["milliseconds"] == nil ? ArgumentForm.usualName : "milliseconds"
      let length =
        try command.argument.value(of: member, in: json) ?? LineCommands.breakLength
      self = .perform({ command.perform(length, $0) }, saysMessage: false)
    case "send-file": self = .transfer(try Self.sending(json))
    case "receive-files": self = .transfer(try Self.receiving(json))
    case "release": self = .release
    case "take-back": self = .takeBack
    case "start-log":
      guard let path = json["path"]?.string, !path.isEmpty else {
        throw Mistake("start-log needs a path")
      }
      let appends = json["append"].map(\.bool) ?? false
      guard let appends else { throw Mistake("append: expected true or false") }
      self = .startLog(FilePath(path), appending: appends)
    case "stop-log": self = .stopLog
    case "read-log": self = .readLog(try Self.logPiece(json))
    case "close": self = .close
    case "watch": self = .watch(try Self.watching(json))
    case "plot":
      var size = PlotPicture.Size()
      size.width = try Self.wholeNumber("width", in: PlotPicture.Size.widths, json) ?? size.width
      size.height = try Self.wholeNumber("height", in: PlotPicture.Size.heights, json)
      self = .plot(size)
    case let name?:
      if let request = try PenRequest(json) {
        self = .perform(request.perform)
        return
      }
      if name.hasPrefix(Snippet.commandPrefix) || name.hasPrefix(NamedSequence.commandPrefix) {
        self = .perform { Self.performConfigured(name, $0) }
        return
      }
      guard let command = Command(named: name) else { throw Self.mistake(inName: name) }
      self = .perform(command.perform, argument: try Self.argument(in: json))
    case nil: throw Self.noCommand
    }
  }

  private static let expected =
    "expected a command, such as send, expect, set, break or close: see 'serialterm help json'"
  private static let noCommand = Mistake("\(expected); the member \"command\" is missing")

  private static func mistake(inName name: String) -> Mistake {
    let names =
      HelpTopic.jsonCommands.flatMap { $0.term.split(atText: ", ") }.map(String.init)
      + Command.all.map(\.name)
    if let near = Misspelling.nearest(to: name, among: names) {
      return Mistake("'\(name.harmless)' is no command: did you mean '\(near)'?")
    }
    return Mistake("\(expected); '\(name.harmless)' is none")
  }

  /// Performs a command that the configuration of the session defines.
  private static func performConfigured(_ name: String, _ call: CommandCall) {
    guard let command = call.state.commands.first(where: { $0.name == name }) else {
      return call.answer(.failed("there is no \(name.harmless)"))
    }
    command.perform(call)
  }

  private static func sending(_ json: JSON) throws(Mistake) -> TransferOrder {
    guard let path = json["path"]?.string, !path.isEmpty else {
      throw Mistake("send-file needs a path")
    }
    let name = json["protocol"].map(\.string) ?? TransferProtocol.standardToSend.rawValue
    guard let kind = name.flatMap({ TransferProtocol(rawValue: $0) }) else {
      let names = TransferProtocol.allCases.map(\.rawValue)
      throw Mistake("protocol: expected one of \(names.joined(separator: ", "))")
    }
    var order = TransferOrder(fileProtocol: kind, files: .send([FilePath(path)]))
    if let member = json["name"] {
      guard let name = member.string, (1...255).contains(name.utf8.count),
        !name.unicodeScalars.contains(where: { $0 == "/" || $0.value < 0x20 || $0.value == 0x7F })
      else { throw Mistake("name: expected the name of a file, without a path") }
      order.sentName = name
    }
    return order
  }

  private static func receiving(_ json: JSON) throws(Mistake) -> TransferOrder {
    let name = json["protocol"].map(\.string) ?? TransferProtocol.standardToReceive.rawValue
    guard let kind = TransferProtocol.receiving.first(where: { $0.rawValue == name }) else {
      let names = TransferProtocol.receiving.map(\.rawValue)
      throw Mistake("protocol: expected one of \(names.joined(separator: ", "))")
    }
    var rules = IncomingFolder.Rules()
    rules.name = json["name"]?.string
    guard kind.sendsNames == (rules.name == nil) else {
      let nameless = TransferProtocol.receiving.filter { !$0.sendsNames }.alternatives
      throw Mistake("name: needed for \(nameless), and only for \(nameless)")
    }
    return TransferOrder(
      fileProtocol: kind,
      files: .receive(into: FilePath(json["into"]?.string ?? "."), rules))
  }

  private static func watching(_ json: JSON) throws(Mistake) -> WatchOrder {
    var order = WatchOrder()
    let names = PublishedState.Part.allCases.map(\.rawValue) + [plotEvent]
    guard case .array(let events) = json["events"] ?? .array([]) else {
      throw Mistake("events: expected an array of \(names.joined(separator: ", "))")
    }
    for event in events {
      if event.string == plotEvent {
        order.plots = true
      } else if let part = event.string.flatMap({ PublishedState.Part(rawValue: $0) }) {
        order.parts.insert(part)
      } else {
        throw Mistake("events: expected an array of \(names.joined(separator: ", "))")
      }
    }
    guard json["received"] == nil || json["received"]?.string == "shown" else {
      throw Mistake("received: expected \"shown\"")
    }
    order.showsText = json["received"] != nil
    return order
  }

  private static func logPiece(_ json: JSON) throws(Mistake) -> LogPieceOrder {
    var order = LogPieceOrder()
    if let member = json["offset"] {
      guard let offset = member.wholeNumber, offset >= 0 else {
        throw Mistake("offset: expected a whole number of bytes, from 0")
      }
      order.offset = offset
    }
    order.count = try wholeNumber("bytes", in: LogPieceOrder.counts, json) ?? order.count
    return order
  }

  /// The word by which `watch` starts to record numbers.
  private static let plotEvent = "plot"

  /// A whole number in a range; nil if there is none.
  private static func wholeNumber(
    _ name: String, in range: ClosedRange<Int>, _ json: JSON
  ) throws(Mistake) -> Int? {
    guard let member = json[name] else { return nil }
    guard let number = member.wholeNumber, range.contains(number) else {
      throw Mistake(
        "\(name): expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func argument(in json: JSON) throws(Mistake) -> String? {
    guard let argument = json["argument"] else { return nil }
    guard let text = argument.string ?? argument.integer.map({ "\($0)" }) else {
      throw Mistake("argument: expected a string or a whole number")
    }
    return text
  }

  private static func content(in json: JSON) throws(Mistake) -> Content {
    let (content, count): (Content, Int)
    switch (json["text"]?.string, json["hex"]?.string) {
    case (let text?, nil): (content, count) = (.text(text), text.utf8.count)
    case (nil, let hex?):
      do {
        let bytes = try HexText.parse(hex)
        (content, count) = (.bytes(bytes), bytes.count)
      } catch {
        throw Mistake("\(error)")
      }
    case (.some, .some), (nil, nil): throw Mistake("send needs either text or hex")
    }
    guard count <= largestPiece else { throw Mistake(tooMuch) }
    return content
  }

  private static func setting(in json: JSON) throws(Mistake) -> (CommandCall) -> Void {
    let settings = try settings(in: json)
    let lines = try lines(in: json)
    switch (settings, lines) {
    case (let change?, nil): return { change.perform($0) }
    case (nil, let change?): return { Command.toggleLine.perform(change, $0) }
    case (.some, .some):
      throw Mistake("set changes either settings or modem lines, not both")
    case (nil, nil):
      throw Mistake("set needs one of \(settable.joined(separator: ", "))")
    }
  }

  /// The names of what `set` changes: the output lines, and the settings of the line.
  static let settable = ["dtr", "rts"] + LineParameters.all.settings.map(\.name)

  /// Parses line settings, whose names are those of the options. The driver gets all changes
  /// together.
  static func settings(in json: JSON) throws(Mistake) -> SettingsChange? {
    var change: SettingsChange?
    for setting in LineParameters.all.settings {
      let isNumber = setting.commands[0].argument?.kind == .number
      guard let text = member(setting.name, isNumber: isNumber, in: json) else { continue }
      let values = text.flatMap {
        try? Values(Given().with(setting.name, [$0]), of: [setting.declaration])
      }
      guard let next = values.flatMap(setting.lineChange) else {
        throw Mistake("\(setting.name): expected \(setting.declaration.expected)")
      }
      change = change?.and(next) ?? next
    }
    return change
  }

  /// The text of a member, nil inside for one of another type; nil if there is none.
  fileprivate static func member(_ name: String, isNumber: Bool, in json: JSON) -> String?? {
    json[name].map { $0.integer.map { "\($0)" } ?? (isNumber ? nil : $0.string) }
  }

  /// Parses the output lines to assert and to deassert.
  private static func lines(in json: JSON) throws(Mistake) -> LineChange? {
    var change = LineChange()
    for (name, line) in [("dtr", ModemLines.dtr), ("rts", .rts)] {
      guard let value = json[name] else { continue }
      guard let isOn = value.bool else { throw Mistake("\(name): expected true or false") }
      if isOn { change.asserting.insert(line) } else { change.deasserting.insert(line) }
    }
    return change == LineChange() ? nil : change
  }

  /// The reason why a line is not a valid command.
  struct Mistake: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}

extension JSON {
  /// A whole number, also one that is written as a text: pages know only texts.
  var wholeNumber: Int? { integer ?? string.flatMap { Int($0) } }
}

extension ArgumentKind {
  /// The value of a member; nil if there is none.
  fileprivate func value(of name: String, in json: JSON) throws(JSONCommand.Mistake) -> Value? {
    let isNumber = form.kind == .number && name != ArgumentForm.usualName
    guard let text = JSONCommand.member(name, isNumber: isNumber, in: json) else { return nil }
    guard let value = text.flatMap(parse) else {
      throw JSONCommand.Mistake("\(name): expected \(expected)")
    }
    return value
  }
}
