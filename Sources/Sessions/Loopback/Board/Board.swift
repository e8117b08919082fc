import Glibc
public import Time

/// A small simulated board: a boot banner, a prompt with simple line editing, and the few commands
/// that `help` lists.
///
/// Its output depends only on the time and the bytes that arrive.
///
/// While a stream runs, the board keeps up to ``typeAheadCapacity`` typed bytes and drops the rest,
/// like a UART whose receive buffer overflows. It always reacts to ctrl-c immediately. While it
/// reboots, it drops all input.
public struct Board: SimulatedDevice {
  /// The firmware's version, shown by the banner and by `version`.
  public static let version = "serialterm board, firmware 1.0.0"
  /// The time from a reboot to the banner.
  public static let rebootTime = Duration.milliseconds(300)
  /// The maximum number of bytes that are kept while a stream runs.
  public static let typeAheadCapacity = 256

  static let prompt = "board> "

  private var activity = Activity.off
  private var bootedAt = MonotonicTime(nanoseconds: 0)
  private var isLEDOn = false
  private var editor = BoardLineEditor()
  private var typeAhead: [UInt8] = []

  private enum Activity {
    case off
    case rebooting(until: MonotonicTime)
    case atPrompt
    case streaming(LineStream)
  }

  /// Creates a board, not yet powered.
  public init() {}

  public mutating func start(at now: MonotonicTime, output: inout DeviceOutput) {
    boot(at: now, because: "power-on", output: &output)
  }

  public mutating func receive(
    _ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput
  ) -> Int {
    for index in bytes.indices {
      if output.isFull { return index }
      receive(bytes[index], at: now, output: &output)
    }
    return bytes.count
  }

  public mutating func advance(to now: MonotonicTime, output: inout DeviceOutput) {
    switch activity {
    case .off, .atPrompt:
      break
    case .rebooting(let end):
      if end <= now { boot(at: end, because: "software", output: &output) }
    case .streaming(var stream):
      stream.advance(to: now, output: &output)
      activity = .streaming(stream)
      if stream.nextDeadline == nil { endStream(at: now, output: &output) }
    }
  }

  public var nextDeadline: MonotonicTime? {
    switch activity {
    case .off, .atPrompt: nil
    case .rebooting(let end): end
    case .streaming(let stream): stream.nextDeadline
    }
  }

  /// The temperature in tenths of a degree Celsius: it oscillates by two degrees around 25,
  /// once a minute.
  static func temperature(after uptime: Duration) -> Int {
    let seconds = Double(uptime.nanoseconds) / 1e9
    return Int((250 + 20 * sin(2 * .pi * seconds / 60)).rounded())
  }

  // MARK: States

  private mutating func boot(
    at now: MonotonicTime, because reason: String, output: inout DeviceOutput
  ) {
    bootedAt = now
    isLEDOn = false
    editor = BoardLineEditor()
    typeAhead = []
    activity = .atPrompt
    output.append("\r\n\(Self.version)\r\nreset reason: \(reason)\r\nready; try help\r\n\r\n")
    output.append(Self.prompt)
  }

  /// Handles the bytes that were typed during a stream, after its last line.
  private mutating func endStream(at now: MonotonicTime, output: inout DeviceOutput) {
    activity = .atPrompt
    output.append(Self.prompt)
    let typed = typeAhead
    typeAhead = []
    for byte in typed { receive(byte, at: now, output: &output) }
  }

  private mutating func receive(_ byte: UInt8, at now: MonotonicTime, output: inout DeviceOutput) {
    switch activity {
    case .off, .rebooting:
      break
    case .streaming:
      if byte == 0x03 {
        typeAhead = []
        activity = .atPrompt
        edit(byte, at: now, output: &output)
      } else if typeAhead.count < Self.typeAheadCapacity {
        typeAhead.append(byte)
      }
    case .atPrompt:
      edit(byte, at: now, output: &output)
    }
  }

  private mutating func edit(_ byte: UInt8, at now: MonotonicTime, output: inout DeviceOutput) {
    switch editor.receive(byte, echo: &output) {
    case nil: return
    case .interrupt: break
    case .line(let line): run(line, at: now, output: &output)
    }
    if case .atPrompt = activity { output.append(Self.prompt) }
  }

  // MARK: Commands

  private mutating func run(_ line: [UInt8], at now: MonotonicTime, output: inout DeviceOutput) {
    do {
      guard let command = try BoardCommand.parse(line) else { return }
      perform(command, at: now, output: &output)
    } catch {
      output.append("\(error.text)\r\n")
    }
  }

  private mutating func perform(
    _ command: BoardCommand, at now: MonotonicTime, output: inout DeviceOutput
  ) {
    switch command {
    case .help:
      for name in BoardCommand.Name.allCases {
        let padding = String(repeating: " ", count: 14 - name.usage.count)
        output.append("\(name.usage)\(padding)\(name.summary)\r\n")
      }
    case .echo(let text):
      output.append(text.span)
      output.append("\r\n")
    case .uptime:
      output.append("up \(Self.clock(now - bootedAt))\r\n")
    case .led(let isOn):
      isLEDOn = isOn ?? isLEDOn
      output.append("led is \(isLEDOn ? "on" : "off")\r\n")
    case .temperature:
      output.append("\(decimal(Self.temperature(after: now - bootedAt), places: 1)) C\r\n")
    case .stream(let count, let hertz):
      activity = .streaming(LineStream(.numbers, count: count, hertz: hertz, at: now))
    case .sensor(let count, let hertz):
      activity = .streaming(LineStream(.sensor, count: count, hertz: hertz, at: now))
    case .version:
      output.append("\(Self.version)\r\n")
    case .reboot:
      output.append("rebooting\r\n")
      activity = .rebooting(until: now + Self.rebootTime)
    }
  }

  /// Hours, minutes and seconds: "00:00:07", "26:03:04".
  private static func clock(_ duration: Duration) -> String {
    let seconds = duration.nanoseconds / 1_000_000_000
    return [seconds / 3_600, seconds / 60 % 60, seconds % 60]
      .map { ($0 < 10 ? "0" : "") + String($0) }
      .joined(separator: ":")
  }
}
