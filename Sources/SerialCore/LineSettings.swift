import SystemPackage

/// The settings of a serial line: speed, framing and flow control.
public struct LineSettings: Hashable, Sendable {
  /// Bits per second, within ``baudRates``. The driver takes the nearest rate that the hardware can
  /// produce; ``SessionState/open(_:_:)`` has it. Opening a port with a rate out of range throws
  /// `settingRefused`. A port that hung up reports 0.
  public var baudRate: UInt32
  /// Data bits in a character.
  public var dataBits: DataBits
  /// Parity bit.
  public var parity: Parity
  /// Stop bits after a character.
  public var stopBits: StopBits
  /// How a receiver stops and restarts the sender.
  public var flowControl: FlowControl

  /// Data bits in a character; the raw value is their number.
  public enum DataBits: Int, CaseIterable, Hashable, Sendable {
    /// Five data bits.
    case five = 5
    /// Six data bits.
    case six
    /// Seven data bits.
    case seven
    /// Eight data bits.
    case eight
  }

  /// The parity bit after the data bits; the raw value is its name in words.
  public enum Parity: String, CaseIterable, Hashable, Sendable {
    /// No parity bit.
    case none
    /// The number of ones is odd.
    case odd
    /// The number of ones is even.
    case even
    /// Always one.
    case mark
    /// Always zero.
    case space
  }

  /// Stop bits after a character; the raw value is their number.
  public enum StopBits: Int, CaseIterable, Hashable, Sendable {
    /// One stop bit.
    case one = 1
    /// Two stop bits; one and a half with five data bits.
    case two
  }

  /// Flow control in both directions; the raw value is its name in words.
  public enum FlowControl: String, CaseIterable, Hashable, Sendable {
    /// No flow control.
    case none
    /// RTS and CTS, by the hardware.
    case hard
    /// XON (0x11) and XOFF (0x13), taken out of the data in both directions.
    case soft
  }

  /// Creates settings. The default is 115200 8N1 without flow control.
  public init(
    baudRate: UInt32 = 115_200, dataBits: DataBits = .eight, parity: Parity = .none,
    stopBits: StopBits = .one, flowControl: FlowControl = .none
  ) {
    self.baudRate = baudRate
    self.dataBits = dataBits
    self.parity = parity
    self.stopBits = stopBits
    self.flowControl = flowControl
  }

  /// The baud rates that can be set. In termios(3) the rate 0 hangs up; drivers use
  /// signed 32-bit numbers.
  public static let baudRates: ClosedRange<UInt32> = 1...UInt32(Int32.max)

  /// Throws `settingRefused` if the baud rate is out of range.
  func checkBaudRate(at endpoint: Endpoint) throws(SerialError) {
    guard !Self.baudRates.contains(baudRate) else { return }
    throw SerialError(
      .settingRefused, in: "TCSETS2", at: endpoint, errno: .invalidArgument,
      subject: "baud rate \(baudRate)")
  }
}
