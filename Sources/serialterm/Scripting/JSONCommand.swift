import Posix
import Scripting
import SerialCore

/// What a program that drives us asks for, in a line of JSON. See docs/scripting.md.
enum JSONCommand {
  case send([UInt8])
  case expect(Expression, within: Duration)
  case setLines(asserting: ModemLines, deasserting: ModemLines)
  case setBaudRate(UInt32)
  case sendBreak(Duration)
  case close

  /// How many bytes one command may send.
  static let largestPiece = 65_536

  /// Whether the device would notice it, which it must not of one who only reads.
  var isSending: Bool {
    switch self {
    case .send, .setLines, .sendBreak: true
    case .expect, .setBaudRate, .close: false
    }
  }

  /// Reads a command.
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
    if let baud = json["baud"] {
      guard let rate = baud.integer, (1...Int(Int32.max)).contains(rate) else {
        throw Mistake("baud: expected a whole number from 1 to \(Int32.max)")
      }
      return .setBaudRate(UInt32(rate))
    }
    var (asserting, deasserting): (ModemLines, ModemLines) = ([], [])
    for (name, line) in [("dtr", ModemLines.dtr), ("rts", .rts)] {
      guard let value = json[name] else { continue }
      guard let isOn = value.bool else { throw Mistake("\(name): expected true or false") }
      if isOn { asserting.insert(line) } else { deasserting.insert(line) }
    }
    guard !asserting.union(deasserting).isEmpty else { throw Mistake("set needs dtr, rts or baud") }
    return .setLines(asserting: asserting, deasserting: deasserting)
  }

  /// Why a line is no command.
  struct Mistake: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
