/// How a serial line is set: speed, framing and flow control.
public struct LineSettings: Hashable, Sendable {
  /// Bits a second, at least 1. Any number may be asked for; what the driver can do is read back.
  public var baudRate: UInt32
  /// Data bits in a character.
  public var dataBits: DataBits
  /// Parity bit.
  public var parity: Parity
  /// Stop bits after a character.
  public var stopBits: StopBits
  /// Who may stop the flow of bytes, and how.
  public var flowControl: FlowControl

  /// Data bits in a character; the raw value is their number.
  public enum DataBits: Int, CaseIterable, Hashable, Sendable {
    case five = 5, six, seven, eight
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
    case one = 1, two
  }

  /// Flow control in both directions; the raw value is its name in words.
  public enum FlowControl: String, CaseIterable, Hashable, Sendable {
    /// Nobody stops anybody.
    case none
    /// RTS and CTS, by the hardware.
    case hard
    /// XON (0x11) and XOFF (0x13), taken out of the data in both directions.
    case soft
  }

  /// Creates settings; what is left out is 115200 8N1 without flow control.
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

  /// The baud rates that a user may ask for. Past 31 bits drivers compute with signed numbers.
  public static let baudRates: ClosedRange<UInt32> = 1...UInt32(Int32.max)
}
