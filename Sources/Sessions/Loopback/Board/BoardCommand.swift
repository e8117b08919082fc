/// A command of a ``Board``.
enum BoardCommand: Equatable {
  case help
  case echo([UInt8])
  case uptime
  /// Switches the LED, or queries it if nil.
  case led(Bool?)
  case temperature
  case stream(count: Int, hertz: Int)
  case sensor(count: Int, hertz: Int)
  case version
  case reboot

  /// The answer to a line that is not a command.
  struct Complaint: Error, Equatable { let text: String }

  /// The allowed numbers of lines of a stream or readings of the sensor, and how many there
  /// are per second.
  static let streamCounts = 1...1_000_000
  static let streamRates = 1...10_000

  /// The first words of the commands, in the order of `help`.
  enum Name: String, CaseIterable {
    case help, echo, uptime, led, temp, stream, sensor, version, reboot

    var usage: String {
      switch self {
      case .help, .uptime, .temp, .version, .reboot: rawValue
      case .echo: "echo TEXT"
      case .led: "led [on|off]"
      case .stream: "stream N HZ"
      case .sensor: "sensor N HZ"
      }
    }

    var summary: String {
      switch self {
      case .help: "list the commands"
      case .echo: "print TEXT"
      case .uptime: "print the time since the last reset"
      case .led: "switch the LED, or print its state"
      case .temp: "print the board's temperature"
      case .stream: "send N lines \"i,value\", HZ per second; ctrl-c stops it"
      case .sensor: "send N readings \"temp:25.31 humidity:41.2\"; a few have no humidity"
      case .version: "print the firmware's version"
      case .reboot: "restart the board"
      }
    }
  }

  /// Parses a line.
  ///
  /// - Parameter line: the line without its line ending.
  /// - Returns: the command; nil if the line is blank.
  /// - Throws: the answer to an invalid line.
  static func parse(_ line: [UInt8]) throws(Complaint) -> BoardCommand? {
    let space = UInt8(ascii: " ")
    let words = line.split(separator: space)
    guard let first = words.first else { return nil }
    let word = String(decoding: first, as: UTF8.self)
    guard let name = Name(rawValue: word) else {
      throw Complaint(text: "unknown command '\(word)'; try help")
    }
    // The rest of the line after the first space, including further spaces.
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
    case (.stream, 2), (.sensor, 2):
      let count = try number(arguments[0], in: streamCounts, called: "N", of: name)
      let hertz = try number(arguments[1], in: streamRates, called: "HZ", of: name)
      return name == .stream
        ? .stream(count: count, hertz: hertz) : .sensor(count: count, hertz: hertz)
    case (.help, _), (.echo, _), (.uptime, _), (.led, _), (.temp, _), (.stream, _), (.sensor, _),
      (.version, _), (.reboot, _):
      throw Complaint(text: "usage: \(name.usage)")
    }
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>, called name: String, of command: Name
  ) throws(Complaint) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw Complaint(
        text:
          "\(command.rawValue): \(name) must be a number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }
}
