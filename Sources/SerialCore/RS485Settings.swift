/// The settings of an RS-485 transmitter that a port drives with its RTS line.
///
/// See Documentation/driver-api/serial/serial-rs485.rst of the kernel.
public struct RS485Settings: Hashable, Sendable {
  /// Whether RTS is asserted while sending and deasserted afterwards, or the other way round.
  public var assertsRTSOnSend = true
  /// Milliseconds from RTS to the first bit, within ``delays``.
  public var delayBeforeSend = 0
  /// Milliseconds from the last bit to RTS, within ``delays``.
  public var delayAfterSend = 0
  /// Whether the port receives what it sends.
  public var receivesDuringSend = false

  /// The range of the delays: the kernel shortens longer ones (`RS485_MAX_RTS_DELAY`).
  public static let delays = 0...100

  /// Creates the settings for most transceivers.
  public init() {}

  /// Parses `rts-on-send=on,delay-before=1`. Missing items have the values of ``init()``; `on`
  /// alone sets none.
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

  /// The name of the first setting that the driver changed; nil if it changed none.
  func firstDifference(from actual: RS485Settings) -> String? {
    if assertsRTSOnSend != actual.assertsRTSOnSend { return "rts-on-send" }
    if delayBeforeSend != actual.delayBeforeSend { return "delay-before" }
    if delayAfterSend != actual.delayAfterSend { return "delay-after" }
    if receivesDuringSend != actual.receivesDuringSend { return "rx-during-tx" }
    return nil
  }
}
