/// The USB serial chips that most boards and cables have, and the kernel's drivers for them.
enum USBSerialChip {
  /// The driver of a device, according to the kernel's tables in drivers/usb/serial; nil if it is
  /// not a known serial chip.
  static func module(of id: USBID) -> String? {
    modules.first { $0.vendor == id.vendor && $0.products.contains(id.product) }?.module
  }

  private static let modules: [(vendor: UInt16, products: Set<UInt16>, module: String)] = [
    // FT232R, FT2232, FT4232, FT232H, FT-X
    (0x0403, [0x6001, 0x6010, 0x6011, 0x6014, 0x6015], "ftdi_sio"),
    // CP2101 to CP2104, CP2105, CP2108
    (0x10C4, [0xEA60, 0xEA61, 0xEA70, 0xEA71], "cp210x"),
    // CH340, CH341, CH340 of later years
    (0x1A86, [0x5523, 0x7522, 0x7523], "ch341"),
    // PL2303 of all types, and PL2303G
    (0x067B, [0x2303, 0x2304, 0x23A3, 0x23B3, 0x23C3, 0x23D3, 0x23E3, 0x23F3], "pl2303"),
    // CH9102, CH343: of the class CDC-ACM
    (0x1A86, [0x55D3, 0x55D4], "cdc_acm"),
    // Arduino Uno, Mega, Leonardo; Espressif's native USB; Raspberry Pi Pico; ST's probe
    (0x2341, [0x0001, 0x0010, 0x0042, 0x0043, 0x8036], "cdc_acm"),
    (0x303A, [0x1001], "cdc_acm"), (0x2E8A, [0x0005, 0x000A], "cdc_acm"),
    (0x0483, [0x374B, 0x5740], "cdc_acm"),
  ]
}
