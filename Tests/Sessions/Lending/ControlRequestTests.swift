import Posix
import SystemPackage
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct ControlRequestTests {
  @Test func request_isRead_asItWasWritten() {
    let request = ControlRequest(
      port: .device(DeviceID(majorNumber: 188, minorNumber: 3)), borrower: "esptool.py")
    #expect(request.line == "release 188:3 esptool.py")
    #expect(ControlRequest(line: request.line) == request)
  }

  @Test(arguments: [
    ("rfc2217://lab:4001", "release rfc2217://lab:4001 tool"),
    ("tcp://[fe80::1%eth0]:23", "release tcp://[fe80::1%25eth0]:23 tool"),
    ("unix:/run/my board\n", "release unix:/run/my%20board%0a tool"),
    ("unix:/run/Brückner", "release unix:/run/Brückner tool"),
  ])
  func endpoint_isOneWord(name: String, line: String) {
    let request = ControlRequest(port: .endpoint(name), borrower: "tool")
    #expect(request.line == line)
    #expect(ControlRequest(line: line) == request)
  }

  @Test func borrower_mayBeMissing_andMayBeSeveralWords() {
    #expect(ControlRequest(line: "release 4:64")?.borrower == "another program")
    #expect(ControlRequest(line: "release 4:64 my own tool")?.borrower == "my own tool")
  }

  @Test func borrower_isHarmless_andOfBoundedLength() {
    let request = ControlRequest(line: "release 4:64 \u{1B}[2J" + String(repeating: "x", count: 99))
    #expect(request?.borrower.hasPrefix("\u{FFFD}[2Jx") == true)
    #expect(request?.borrower.unicodeScalars.count == 40)
    // The line never exceeds the limit, for any name.
    let longest = ControlRequest(
      port: .device(DeviceID(majorNumber: .max, minorNumber: .max)),
      borrower: String(repeating: "\u{1F600}", count: 99))
    #expect(longest.line.utf8.count < ControlRequest.limit)
  }

  @Test(arguments: [
    "", "release", "release ", "release 4", "release 4:", "release :4", "release 4:64:1 x",
    "release -1:0", "release 4294967296:0", "Release 4:64", "get 4:64", "release a:b",
    "release tcp://lab%2", "release tcp://lab%zz",
  ])
  func otherLine_isNoRequest(line: String) {
    #expect(ControlRequest(line: line) == nil)
  }
}
