import SerialCore

/// A built-in line sequence for many boards. docs/line-control.md names the source of each.
enum ReadySequence: String, CaseIterable, Sendable {
  case esp32Bootloader = "esp32-bootloader"
  case esp32Run = "esp32-run"
  case esp32USBBootloader = "esp32-usb-bootloader"
  case esp32USBRun = "esp32-usb-run"
  case rp2040Bootloader = "rp2040-bootloader"
  case avrReset = "avr-reset"
  case avr32U4Bootloader = "32u4-bootloader"
  case stm32Bootloader = "stm32-bootloader"
  case stm32Run = "stm32-run"
  case stm32InvertedBootloader = "stm32-inv-bootloader"
  case stm32InvertedRun = "stm32-inv-run"

  var sequence: LineSequence { LineSequence(steps) }

  private var steps: [LineSequence.Step] {
    switch self {
    // DTR and RTS are cross-coupled: a pin is low only while one line is asserted and the other is
    // not. RTS alone holds EN low, DTR alone IO0.
    case .esp32Bootloader:
      [.off(.dtr), .on(.rts), .wait(ms(100)), .on(.dtr), .off(.rts), .wait(ms(50)), .off(.dtr)]
    case .esp32Run: [.off(.dtr), .on(.rts), .wait(ms(100)), .off(.rts)]
    // The chip's peripheral depends on the order of the changes: RTS is asserted before
    // DTR is deasserted.
    case .esp32USBBootloader:
      [
        .off(.rts), .off(.dtr), .wait(ms(100)), .on(.dtr), .off(.rts), .wait(ms(100)), .on(.rts),
        .off(.dtr), .on(.rts), .wait(ms(100)), .off(.dtr), .off(.rts),
      ]
    case .esp32USBRun: [.off(.dtr), .on(.rts), .wait(ms(200)), .off(.rts), .wait(ms(200))]
    // The board leaves the bus during the wait. DTR is restored for a board that stays.
    case .rp2040Bootloader, .avr32U4Bootloader:
      [.setBaudRate(1_200), .off(.dtr), .wait(ms(500)), .on(.dtr)]
    // The edge resets the board through a capacitor, which must discharge first. A shorter pulse
    // causes a lower spike at its end.
    case .avrReset:
      [
        .set(asserting: [], deasserting: [.dtr, .rts]), .wait(ms(250)),
        .set(asserting: [.dtr, .rts], deasserting: []),
        .set(asserting: [], deasserting: [.dtr, .rts]), .wait(ms(100)),
      ]
    case .stm32Bootloader: [.off(.rts), .on(.dtr), .wait(ms(100)), .off(.dtr), .wait(ms(500))]
    case .stm32Run: [.on(.rts), .on(.dtr), .wait(ms(100)), .off(.dtr), .wait(ms(500))]
    case .stm32InvertedBootloader:
      [.off(.rts), .wait(ms(100)), .off(.dtr), .wait(ms(100)), .on(.dtr)]
    case .stm32InvertedRun: [.on(.rts), .wait(ms(100)), .off(.dtr), .wait(ms(100)), .on(.dtr)]
    }
  }
}

private func ms(_ count: Int) -> Duration { .milliseconds(count) }

extension LineSequence.Step {
  fileprivate static func on(_ line: ModemLines) -> Self {
    .set(asserting: line, deasserting: [])
  }

  fileprivate static func off(_ line: ModemLines) -> Self {
    .set(asserting: [], deasserting: line)
  }
}
