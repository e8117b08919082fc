import Posix
import Scripting
import SerialCore

/// A command of a program that drives the session, as a line of JSON. See docs/scripting.md.
enum JSONCommand {
  case send([UInt8])
  case expect(Expression, within: Duration)
  case setLines(asserting: ModemLines, deasserting: ModemLines)
  /// Changes line settings: the corresponding commands of the palette, and the change.
  case change([Command], (inout LineSettings) -> Void)
  case sendBreak(Duration)
  case close

  /// The maximal number of bytes that one command sends.
  static let largestPiece = 65_536

  /// Parses a command.
  ///
  /// - Throws: ``Mistake``.
  init(_ json: JSON) throws(Mistake) {
    switch json["command"]?.string {
    case "send": self = .send(try Self.bytes(in: json))
    case "expect":
      guard let text = json["regex"]?.string else { throw Mistake("expect needs a regex") }
      let seconds = json["timeout"].map(\.double) ?? 5
      guard let seconds, (0.001...86_400).contains(seconds) else {
        throw Mistake("timeout: expected seconds from 0.001 to 86400")
      }
      do {
        self = .expect(try Expression(parsing: text), within: .seconds(seconds))
      } catch {
        throw Mistake("\(error)")
      }
    case "set": self = try Self.setting(in: json)
    case "break":
      let milliseconds = json["milliseconds"].map(\.integer) ?? 250
      guard let milliseconds, (1...10_000).contains(milliseconds) else {
        throw Mistake("milliseconds: expected 1 to 10000")
      }
      self = .sendBreak(.milliseconds(milliseconds))
    case "close": self = .close
    default: throw Mistake("expected a command: send, expect, set, break or close")
    }
  }

  private static func bytes(in json: JSON) throws(Mistake) -> [UInt8] {
    let bytes: [UInt8]
    switch (json["text"]?.string, json["hex"]?.string) {
    case (let text?, nil): bytes = Array(text.utf8)
    case (nil, let hex?):
      do { bytes = try HexText(hex).bytes } catch { throw Mistake("\(error)") }
    case (.some, .some), (nil, nil): throw Mistake("send needs either text or hex")
    }
    guard bytes.count <= largestPiece else {
      throw Mistake("too much at once: \(largestPiece) bytes at most")
    }
    return bytes
  }

  private static func setting(in json: JSON) throws(Mistake) -> JSONCommand {
    let change = try lineSettings(in: json)
    let (asserting, deasserting) = try lines(in: json)
    switch (change, asserting.union(deasserting).isEmpty) {
    case (let change?, true): return change
    case (nil, false): return .setLines(asserting: asserting, deasserting: deasserting)
    case (.some, false): throw Mistake("set changes either settings or modem lines, not both")
    case (nil, true):
      throw Mistake("set needs dtr, rts, baud, data-bits, parity, stop-bits or flow")
    }
  }

  /// Parses line settings, which have the names of the palette's commands.
  private static func lineSettings(in json: JSON) throws(Mistake) -> JSONCommand? {
    var commands: [Command] = []
    var updates: [(inout LineSettings) -> Void] = []
    if let baud = json[Command.baudRate.entry.name] {
      guard let rate = baud.integer.flatMap(UInt32.init(exactly:)),
        LineSettings.baudRates.contains(rate)
      else {
        throw Mistake(
          "baud: expected a whole number from 1 to \(LineSettings.baudRates.upperBound)")
      }
      commands.append(.baudRate)
      updates.append { $0.baudRate = rate }
    }
    func choose<Value: CaseIterable & RawRepresentable>(
      _ command: Command, _ setting: WritableKeyPath<LineSettings, Value>
    ) throws(Mistake) {
      let name = command.entry.name
      guard let json = json[name] else { return }
      let text = json.string ?? json.integer.map { "\($0)" }
      guard let value = Value.allCases.first(where: { "\($0.rawValue)" == text }) else {
        let values = Value.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
        throw Mistake("\(name): expected one of \(values)")
      }
      commands.append(command)
      updates.append { $0[keyPath: setting] = value }
    }
    try choose(.dataBits, \.dataBits)
    try choose(.parity, \.parity)
    try choose(.stopBits, \.stopBits)
    try choose(.flowControl, \.flowControl)
    guard !commands.isEmpty else { return nil }
    return .change(commands) { [updates] settings in
      for update in updates { update(&settings) }
    }
  }

  /// Parses the output lines to assert and to deassert.
  private static func lines(in json: JSON) throws(Mistake) -> (ModemLines, ModemLines) {
    var (asserting, deasserting): (ModemLines, ModemLines) = ([], [])
    for (name, line) in [("dtr", ModemLines.dtr), ("rts", .rts)] {
      guard let value = json[name] else { continue }
      guard let isOn = value.bool else { throw Mistake("\(name): expected true or false") }
      if isOn { asserting.insert(line) } else { deasserting.insert(line) }
    }
    return (asserting, deasserting)
  }

  /// Why a line is not a command.
  struct Mistake: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
