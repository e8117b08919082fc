import SerialCore
import SystemPackage
import Testing

@testable import serialterm

struct UnitInstanceTests {
  @Test(arguments: [
    ("dev-ttyUSB0", "/dev/ttyUSB0"), (#"board\x2d1"#, "board-1"), (#"my\x20board"#, "my board"),
    (#"dev-serial-by\x2did-usb\x2dA"#, "/dev/serial/by-id/usb-A"), (#"a\x2"#, #"a\x2"#),
    (#"\xzz"#, #"\xzz"#), (#"\x1b"#, "\\u{1B}"),
    ("board-1", nil), ("ttyUSB0", nil), ("usb:0403:6001:A-1", nil), ("dev-a/b", nil), ("", nil),
  ])
  func text_isFound_whichANameWasMadeOf(_ name: String, _ expected: String?) {
    let original = UnitInstance.original(of: name)
    if name == #"\x1b"# {
      #expect(original?.contains("\u{1B}") == false)
    } else {
      #expect(original == expected)
    }
  }

  @Test func advice_isGiven_onlyAboutNamesOfDevices() {
    #expect(UnitInstance.advice(for: .tty("/dev/dev-ttyUSB0"))?.contains("/dev/ttyUSB0") == true)
    for path: FilePath in ["/dev/ttyUSB0", "/dev/board-1", "/tmp/dev-ttyUSB0"] {
      #expect(UnitInstance.advice(for: .tty(path)) == nil)
    }
  }
}
