/// The modem lines of a port that are asserted; the others are deasserted.
///
/// A line that is asserted has a positive voltage in RS-232, and is at ground where the chip's pin
/// is looked at.
public struct ModemLines: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Data terminal ready: an output, "there is somebody here".
  public static let dtr = ModemLines(rawValue: 1)
  /// Request to send: an output; with hardware flow control the driver's own.
  public static let rts = ModemLines(rawValue: 2)
  /// Clear to send: an input, the far end's RTS.
  public static let cts = ModemLines(rawValue: 4)
  /// Data set ready: an input, the far end's DTR.
  public static let dsr = ModemLines(rawValue: 8)
  /// Data carrier detect: an input.
  public static let dcd = ModemLines(rawValue: 16)
  /// Ring indicator: an input.
  public static let ri = ModemLines(rawValue: 32)

  /// The lines that this end drives.
  public static let outputs: ModemLines = [.dtr, .rts]
  /// The lines that the far end drives.
  public static let inputs: ModemLines = [.cts, .dsr, .dcd, .ri]
}

extension ModemLines: CustomStringConvertible {
  /// Each line with its usual name, in the order in which they are shown.
  public static let named: [(name: String, line: ModemLines)] = [
    ("DTR", .dtr), ("RTS", .rts), ("CTS", .cts), ("DSR", .dsr), ("DCD", .dcd), ("RI", .ri),
  ]

  /// The names of those that are asserted: `DTR RTS`; `none` when none is.
  public var description: String {
    let names = Self.named.filter { contains($0.line) }.map(\.name)
    return names.isEmpty ? "none" : names.joined(separator: " ")
  }
}
