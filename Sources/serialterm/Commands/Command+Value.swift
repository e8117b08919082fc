import SerialCore
import Views

extension Command {
  /// What the command would change, as it is now.
  func value(in state: TerminalState) -> String? {
    switch self {
    case .baudRate: "\(state.requestedSettings.baudRate)"
    case .dataBits: "\(state.requestedSettings.dataBits.rawValue)"
    case .parity: state.requestedSettings.parity.rawValue
    case .stopBits: "\(state.requestedSettings.stopBits.rawValue)"
    case .flowControl: state.requestedSettings.flowControl.rawValue
    case .reconnect: state.reconnects.onOff
    case .readOnly: state.isReadOnly.onOff
    case .localEcho: state.echoesLocally.onOff
    case .lineInput: state.editsLines.onOff
    case .hexView: state.view.isHex.onOff
    case .timestamps: (state.view.timestamps != nil).onOff
    case .timestampFormat: state.view.timestamps.map { "\($0)" }
    case .highlight: state.view.isHighlighting.onOff
    case .filter: state.isFiltering.onOff
    case .mapping: state.view.map.rules.isEmpty ? nil : "\(state.view.map)"
    case .inputMap: state.view.map.text(.fromDevice)
    case .outputMap: state.view.map.text(.toDevice)
    case .statusLine: state.showsStatus.onOff
    case .log: (state.log != nil).onOff
    case .release: state.session.isReleased ? "released" : nil
    case .toggleLine, .pulseLine, .showLines: state.modemLines.map { "\($0)" }
    case .stopSending: state.transfer.map { "\($0.sentCount.grouped) of \($0.size.grouped) bytes" }
    case .help, .palette, .quit, .showConfiguration, .statistics, .sendBreak, .sendFile,
      .clearScreen:
      nil
    }
  }
}

extension MapList {
  /// The changes in a direction; nil when there are none.
  fileprivate func text(_ direction: Direction) -> String? {
    let changes = changes(direction)
    return changes.isEmpty ? nil : changes.map(\.rawValue).joined(separator: ",")
  }
}

extension Bool {
  /// As a switch is called.
  var onOff: String { self ? "on" : "off" }
}
