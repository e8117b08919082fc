public import ArgumentParser
import SerialCore

/// How the line is to be set.
struct LineOptions: ParsableArguments {
  @Option(
    name: [.short, .long], help: "Baud rate: any that the driver takes.",
    transform: { try LineSettings.baudRate(parsing: $0) })
  var baud: UInt32 = LineSettings().baudRate

  @Option(name: [.short, .long], help: "Data bits: 5, 6, 7 or 8.")
  var dataBits = LineSettings().dataBits

  @Option(name: [.short, .long], help: "Parity: none, odd, even, mark or space.")
  var parity = LineSettings().parity

  @Option(name: [.short, .long], help: "Stop bits: 1 or 2.")
  var stopBits = LineSettings().stopBits

  @Option(name: [.short, .long], help: "Flow control: none, hard (RTS/CTS) or soft (XON/XOFF).")
  var flow = LineSettings().flowControl

  var settings: LineSettings {
    LineSettings(
      baudRate: baud, dataBits: dataBits, parity: parity, stopBits: stopBits, flowControl: flow)
  }
}

extension LineSettings.DataBits: ExpressibleByArgument {}
extension LineSettings.Parity: ExpressibleByArgument {}
extension LineSettings.StopBits: ExpressibleByArgument {}
extension LineSettings.FlowControl: ExpressibleByArgument {}
