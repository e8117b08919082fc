/// How a port drives the transmitter of an RS-485 bus by its RTS line.
///
/// See Documentation/driver-api/serial/serial-rs485.rst of the kernel.
public struct RS485Settings: Hashable, Sendable {
  /// Whether RTS is asserted while it sends, and deasserted afterwards; or the other way round.
  public var assertsRTSOnSend = true
  /// Milliseconds from RTS to the first bit, within ``delays``.
  public var delayBeforeSend = 0
  /// Milliseconds from the last bit to RTS, within ``delays``.
  public var delayAfterSend = 0
  /// Whether it receives what it sends.
  public var receivesDuringSend = false

  /// What the kernel takes: it shortens longer delays (`RS485_MAX_RTS_DELAY`).
  public static let delays = 0...100

  /// Creates the settings that most transceivers want.
  public init() {}

  /// Reads `rts-on-send=on,delay-before=1`: what is left out is as ``init()`` has it; `on` alone
  /// leaves out everything.
  ///
  /// - Throws: ``ItemParsingError`` naming the item.
  public init(parsing text: some StringProtocol) throws(ItemParsingError) {
    guard text != "on" else { return }
    for item in ListItem.items(of: text) {
      switch item.name {
      case "rts-on-send": assertsRTSOnSend = try item.flag()
      case "delay-before": delayBeforeSend = try item.milliseconds(Self.delays)
      case "delay-after": delayAfterSend = try item.milliseconds(Self.delays)
      case "rx-during-tx": receivesDuringSend = try item.flag()
      default:
        throw item.error(
          "rts-on-send=on|off, delay-before=MS, delay-after=MS, rx-during-tx=on|off, or on")
      }
    }
  }

  /// The first setting that a driver took otherwise, as it is written; nil when it took all.
  func firstDifference(from actual: RS485Settings) -> String? {
    if assertsRTSOnSend != actual.assertsRTSOnSend { return "rts-on-send" }
    if delayBeforeSend != actual.delayBeforeSend { return "delay-before" }
    if delayAfterSend != actual.delayAfterSend { return "delay-after" }
    if receivesDuringSend != actual.receivesDuringSend { return "rx-during-tx" }
    return nil
  }
}
