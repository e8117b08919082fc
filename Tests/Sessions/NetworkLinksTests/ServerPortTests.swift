import SerialCore
import Telnet
import Testing

@testable import NetworkLinks

/// What the server of a port says, in the terms of a link.
@Suite struct ServerPortTests {
  private let port = ServerPort(
    ComPortClient(LineSettings(baudRate: 9_600).forServer), opening: LinkOptions())

  @Test(
    arguments: [
      .opened, .refused(.noAnswer), .applied, .played(reason: []), .sendingPermitted(false),
      .lineErrors(.overrun), .shared(.kept),
    ] as [ComPortClient.Event])
  func `Nothing else changes for the session`(event: ComPortClient.Event) {
    var port = port
    if let change = port.handle(event) { Issue.record("\(change)") }
  }

  @Test func `Settings and lines are those that the client knows`() {
    var port = port
    guard case .settingsChanged(LineSettings(baudRate: 9_600))? = port.handle(.settingsChanged)
    else {
      Issue.record("other settings")
      return
    }
    port.setModemLines(asserting: [.dtr], deasserting: [.rts])
    guard case .modemLinesChanged(.dtr)? = port.handle(.linesChanged) else {
      Issue.record("other lines")
      return
    }
  }

  @Test func `Features are announced when they change`() {
    var port = port
    #expect(port.features == nil && port.has(.breaks) && port.modemLines != nil)
    guard case .featuresChanged(let probe)? = port.handle(.shared(.features(.settings))) else {
      Issue.record("not announced")
      return
    }
    #expect(!probe.hasBreaks && probe.modemLines == nil && probe.counters == nil)
    for event in [.linesChanged, .shared(.features(.settings))] as [ComPortClient.Event] {
      if let change = port.handle(event) { Issue.record("\(change)") }
    }
  }

  @Test func `Errors are counted until the driver's counters are known`() {
    var port = port
    _ = port.handle(.lineErrors([.framingError, .overrun]))
    #expect(port.counters?.framingErrors == 1 && port.counters?.overruns == 1)
    let counters = LineCounters(Array(1...11))
    guard case .countersChanged(counters)? = port.handle(.shared(.counters(Array(1...11)))) else {
      Issue.record("not announced")
      return
    }
    _ = port.handle(.lineErrors([.framingError]))
    #expect(port.counters == counters)
  }

  @Test func `Settings and lines pass the protocol`() {
    for parity in LineSettings.Parity.allCases {
      for flowControl in LineSettings.FlowControl.allCases {
        let settings = LineSettings(parity: parity, flowControl: flowControl)
        #expect(LineSettings(settings.forServer) == settings)
      }
    }
    for line in [.cts, .dsr, .dcd, .ri, [.cts, .ri], []] as [ModemLines] {
      #expect(ModemLines(line.forClient) == line)
    }
    #expect(ModemLines([.dtr, .rts, .cts]).forClient == .cts)
  }
}
