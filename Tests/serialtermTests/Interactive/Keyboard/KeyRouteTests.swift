import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

/// Where keys go, for every kind of state.
@Suite struct KeyRouteTests {
  private static let max = Sharing.Person(id: 1, name: "max", answers: true)

  /// What can determine the route.
  struct Row: CustomTestStringConvertible {
    var dialog = false
    var exchange = false
    var line = false
    var readOnly = false
    var watching = false
    let route: KeyRoute

    var state: TerminalState {
      var state = TerminalState()
      state.exchange = exchange ? .file("image.bin") : nil
      state.editsLines = line
      state.isReadOnly = readOnly
      if watching { state.sharing.pen = .others(KeyRouteTests.max) }
      return state
    }

    var testDescription: String { "\(self)" }
  }

  @Test(arguments: [
    Row(route: .device),
    Row(readOnly: true, route: .refused(.readOnly)),
    Row(watching: true, route: .refused(.penOf("max"))),
    Row(readOnly: true, watching: true, route: .refused(.readOnly)),
    Row(line: true, route: .line),
    Row(line: true, readOnly: true, route: .line),
    Row(line: true, watching: true, route: .line),
    Row(exchange: true, route: .exchange),
    Row(exchange: true, line: true, route: .exchange),
    Row(exchange: true, readOnly: true, route: .exchange),
    Row(dialog: true, route: .dialog),
    Row(dialog: true, line: true, route: .dialog),
    Row(dialog: true, exchange: true, line: true, readOnly: true, watching: true, route: .dialog),
  ]) func `The state and the dialog determine where keys go`(row: Row) {
    #expect(KeyRoute(for: row.state, isDialogOpen: row.dialog) == row.route)
  }

  @Test func `A port that is not open is no reason to refuse, because a pipe waits for it`() {
    let port = Endpoint.tty("/dev/ttyUSB0")
    let states: [SessionState] = [
      .closed(nil), .opening(port, after: nil), .open(port, LineSettings()), .released(port),
      .waitingForDevice(port, .lost(SerialError(.lost, in: "read", at: port))),
    ]
    for session in states {
      var state = TerminalState()
      state.session = session
      #expect(KeyRoute(for: state, isDialogOpen: false) == .device, "\(session)")
    }
  }
}
