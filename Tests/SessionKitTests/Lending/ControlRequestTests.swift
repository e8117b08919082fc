import Posix
import SystemPackage
import Testing

@testable import SessionKit

@Suite(.timeLimit(.minutes(5))) struct ControlRequestTests {
  @Test func request_isRead_asItWasWritten() {
    let request = ControlRequest(
      device: DeviceID(majorNumber: 188, minorNumber: 3), borrower: "esptool.py")
    #expect(request.line == "release 188:3 esptool.py")
    #expect(ControlRequest(line: request.line) == request)
  }

  @Test func borrower_mayBeMissing_andMayBeSeveralWords() {
    #expect(ControlRequest(line: "release 4:64")?.borrower == "another program")
    #expect(ControlRequest(line: "release 4:64 my own tool")?.borrower == "my own tool")
  }

  @Test func borrower_isHarmless_andOfBoundedLength() {
    let request = ControlRequest(line: "release 4:64 \u{1B}[2J" + String(repeating: "x", count: 99))
    #expect(request?.borrower.hasPrefix("\u{FFFD}[2Jx") == true)
    #expect(request?.borrower.unicodeScalars.count == 40)
    // Whatever the name is made of, the line fits.
    let longest = ControlRequest(
      device: DeviceID(majorNumber: .max, minorNumber: .max),
      borrower: String(repeating: "\u{1F600}", count: 99))
    #expect(longest.line.utf8.count < ControlRequest.limit)
  }

  @Test(arguments: [
    "", "release", "release ", "release 4", "release 4:", "release :4", "release 4:64:1 x",
    "release -1:0", "release 4294967296:0", "Release 4:64", "get 4:64", "release a:b",
  ])
  func otherLine_isNoRequest(line: String) {
    #expect(ControlRequest(line: line) == nil)
  }
}
