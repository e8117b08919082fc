/// What can be asked of a ``Board``.
enum BoardCommand: Equatable {
  case help
  case echo([UInt8])
  case uptime
  /// Switches the LED, or asks for it.
  case led(Bool?)
  case temperature
  case stream(count: Int, hertz: Int)
  case version
  case reboot

  /// Why a line is no command, in words for who typed it.
  struct Complaint: Error, Equatable { let text: String }

  /// How many lines a stream may have, and how many a second.
  static let streamCounts = 1...1_000_000
  static let streamRates = 1...10_000

  /// The words that commands begin with, in the order of `help`.
  enum Name: String, CaseIterable {
    case help, echo, uptime, led, temp, stream, version, reboot

    var usage: String {
      switch self {
      case .help, .uptime, .temp, .version, .reboot: rawValue
      case .echo: "echo TEXT"
      case .led: "led [on|off]"
      case .stream: "stream N HZ"
      }
    }

    var summary: String {
      switch self {
      case .help: "lists the commands"
      case .echo: "says TEXT"
      case .uptime: "tells the time since the last reset"
      case .led: "switches the LED, or tells its state"
      case .temp: "tells the board's temperature"
      case .stream: "sends N lines \"i,value\", HZ a second; ctrl-c stops it"
      case .version: "tells the firmware's version"
      case .reboot: "restarts the board"
      }
    }
  }

  /// Understands a line.
  ///
  /// - Parameter line: without its end.
  /// - Returns: the command; nil if the line is blank.
  /// - Throws: what to answer instead.
  static func parse(_ line: [UInt8]) throws(Complaint) -> BoardCommand? {
    let space = UInt8(ascii: " ")
    let words = line.split(separator: space)
    guard let first = words.first else { return nil }
    let word = String(decoding: first, as: UTF8.self)
    guard let name = Name(rawValue: word) else {
      throw Complaint(text: "unknown command '\(word)'; try help")
    }
    // The text as it was typed, spaces and all, from after the one that ends the command's word.
    if name == .echo { return .echo(Array(line[first.endIndex...].dropFirst())) }
    let arguments = words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    switch (name, arguments.count) {
    case (.help, 0): return .help
    case (.uptime, 0): return .uptime
    case (.temp, 0): return .temperature
    case (.version, 0): return .version
    case (.reboot, 0): return .reboot
    case (.led, 0): return .led(nil)
    case (.led, 1) where arguments[0] == "on": return .led(true)
    case (.led, 1) where arguments[0] == "off": return .led(false)
    case (.stream, 2):
      return .stream(
        count: try number(arguments[0], in: streamCounts, called: "N"),
        hertz: try number(arguments[1], in: streamRates, called: "HZ"))
    case (.help, _), (.echo, _), (.uptime, _), (.led, _), (.temp, _), (.stream, _), (.version, _),
      (.reboot, _):
      throw Complaint(text: "usage: \(name.usage)")
    }
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>, called name: String
  ) throws(Complaint) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw Complaint(
        text: "stream: \(name) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
