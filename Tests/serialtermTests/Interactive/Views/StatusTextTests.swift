import SerialCore
import Sessions
import SystemPackage
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct StatusTextTests {
  private static func state(_ port: String = "/dev/ttyUSB0") -> TerminalState {
    var state = TerminalState()
    state.session = .open(.tty(FilePath(port)), LineSettings())
    state.capabilities = .settings
    return state
  }

  private static func line(
    _ state: TerminalState, _ width: Int = 80, hidden: Int = 0, waiting: Int = 0
  ) -> StyledLine {
    StatusText(
      state: state, receivedRate: 0, sentRate: 0, waitingCount: waiting, hiddenLineCount: hidden,
      helpKeys: "ctrl-t ?"
    ).parts.line(toWidth: width)
  }

  @Test func aQuietSession_hasItsPortAndTheWayToHelp() {
    let line = Self.line(Self.state())
    #expect(
      line.text.hasPrefix(" /dev/ttyUSB0   115200 8N1  in 0 B/s out 0 B/s  "), "\(line.text)")
    #expect(line.text.hasSuffix("  ctrl-t ? help"))
    #expect(line.runs.first?.style == .reversed)
    #expect(line.runs.filter { $0.style == .reversed }.count == 1)
    #expect(line.runs.allSatisfy { $0.style.colour == nil })
  }

  @Test func atEightyColumns_whatMattersIsWhole() {
    var state = Self.state("/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0")
    state.modemLines = [.dtr, .rts, .cts]
    state.log = "/home/user/logs/boot-2026-11-29T18-25-02-of-the-board.log"
    state.isPaused = true
    state.isHeld = true
    state.sharing.pen = .others(.init(id: 1, name: "bob", answers: true))
    let text = Self.line(state, hidden: 12, waiting: 5).text
    #expect(
      text.hasPrefix(" usb-FTDI_FT2…-if00-port0   paused  held  pen bob  log boot-20…rd.log  "),
      "\(text)")
    #expect(text.hasSuffix("  ctrl-t ?"), "\(text)")
    let wide = Self.line(state, 120, hidden: 12, waiting: 5).text
    for part in ["  log boot-2026-11…e-board.log  ", "  12 hidden  ", "115200 8N1"] {
      #expect(wide.contains(part), "\(wide)")
    }
  }

  @Test func ratesGoFirst_andThePathOfThePort() {
    var state = Self.state("/tmp/a-folder-of-a-session/ttyUSB0")
    state.log = "boot.log"
    #expect(Self.line(state).text.hasPrefix(" ttyUSB0   115200 8N1  log boot.log  in 0 B/s"))
    #expect(!Self.line(state, 56).text.contains("B/s"))
    #expect(Self.line(state, 56).text.contains("log boot.log"))
  }

  @Test func aDeviceThatIsAwaited_hasItsReasonInBold() {
    var state = TerminalState()
    state.session = .waitingForDevice(
      .tty("/dev/ttyUSB0"),
      .failed(SerialError(.permissionDenied, in: "open", at: .tty("/dev/ttyUSB0"))))
    let line = Self.line(state)
    #expect(line.text.hasPrefix(" waiting for /dev/ttyUSB0   permission denied  "), "\(line.text)")
    #expect(line.runs.contains { $0.text == "permission denied" && $0.style == .bold })
    for width in 30...80 {
      #expect(Self.line(state, width).text.contains("ttyUSB0"), "\(width)")
    }
  }

  @Test func whoeverAsksForThePen_isNamed() {
    var state = Self.state()
    #expect(!Self.line(state).text.contains("pen"))
    let bob = Sharing.Person(id: 1, name: "bob", answers: true)
    state.sharing.applicants = [.init(person: bob, text: nil)]
    #expect(Self.line(state).text.contains("bob asks for the pen"))
  }
}
