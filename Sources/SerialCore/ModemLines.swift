/// The asserted modem lines of a port; the others are deasserted.
///
/// An asserted line has a positive voltage in RS-232, and is low at the pin of the chip.
public struct ModemLines: OptionSet, Hashable, Sendable {
  /// The set as bits.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Data terminal ready: an output.
  public static let dtr = ModemLines(rawValue: 1)
  /// Request to send: an output. With hardware flow control, the driver sets it.
  public static let rts = ModemLines(rawValue: 2)
  /// Clear to send: an input, usually the RTS of the other end.
  public static let cts = ModemLines(rawValue: 4)
  /// Data set ready: an input, usually the DTR of the other end.
  public static let dsr = ModemLines(rawValue: 8)
  /// Data carrier detect: an input.
  public static let dcd = ModemLines(rawValue: 16)
  /// Ring indicator: an input.
  public static let ri = ModemLines(rawValue: 32)

  /// The lines that this end drives.
  public static let outputs: ModemLines = [.dtr, .rts]
  /// The lines that the other end drives.
  public static let inputs: ModemLines = [.cts, .dsr, .dcd, .ri]
}

extension ModemLines: CustomStringConvertible {
  /// The lines with their usual names, in the order in which they are shown.
  public static let named: [(name: String, line: ModemLines)] = [
    ("DTR", .dtr), ("RTS", .rts), ("CTS", .cts), ("DSR", .dsr), ("DCD", .dcd), ("RI", .ri),
  ]

  /// The names of the asserted lines: `DTR RTS`; `none` if there are none.
  public var description: String {
    let names = Self.named.filter { contains($0.line) }.map(\.name)
    return names.isEmpty ? "none" : names.joined(separator: " ")
  }
}
