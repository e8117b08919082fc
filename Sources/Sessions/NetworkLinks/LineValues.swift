package import SerialCore
package import Telnet

// The settings, lines, features and counters of a port, in the form of the protocol.

extension LineSettings {
  private static let parities: [(own: Parity, theirs: ComPortParity)] = [
    (.none, .none), (.odd, .odd), (.even, .even), (.mark, .mark), (.space, .space),
  ]
  private static let flowControls: [(own: FlowControl, theirs: ComPortControl)] = [
    (.none, .noFlow), (.soft, .softwareFlow), (.hard, .hardwareFlow),
  ]

  /// The settings in the form of the protocol.
  package var forServer: ComPortClient.Settings {
    ComPortClient.Settings(
      baudRate: baudRate, dataSize: UInt8(dataBits.rawValue),
      parity: Self.parities.first { $0.own == parity }?.theirs ?? .none,
      stopSize: UInt8(stopBits.rawValue),
      flow: Self.flowControls.first { $0.own == flowControl }?.theirs ?? .noFlow)
  }

  /// Converts settings that a server has confirmed. One and a half stop bits become two.
  package init(_ settings: ComPortClient.Settings) {
    self.init(
      baudRate: settings.baudRate, dataBits: DataBits(rawValue: Int(settings.dataSize)) ?? .eight,
      stopBits: settings.stopSize == 1 ? .one : .two)
    parity = Self.parities.first { $0.theirs == settings.parity }?.own ?? .none
    flowControl = Self.flowControls.first { $0.theirs == settings.flow }?.own ?? .none
  }
}

extension ModemLines {
  private static let inputs: [(own: ModemLines, theirs: ComPortModemState)] = [
    (.cts, .cts), (.dsr, .dsr), (.dcd, .dcd), (.ri, .ri),
  ]

  /// The input lines in the form of the protocol.
  package var forClient: ComPortModemState {
    Self.inputs.reduce(into: []) { if contains($1.own) { $0.insert($1.theirs) } }
  }

  /// The input lines that a server reports.
  init(_ state: ComPortModemState) {
    self = Self.inputs.reduce(into: []) { if state.contains($1.theirs) { $0.insert($1.own) } }
  }
}

extension SharingMessage.Features {
  /// Those of a port's features that its members are sent.
  package init(_ capabilities: LineCapabilities) {
    self = []
    if capabilities.contains(.modemLines) { insert(.modemLines) }
    if capabilities.contains(.breaks) { insert(.breaks) }
    if capabilities.contains(.settings) { insert(.settings) }
    if capabilities.contains(.counters) { insert(.counters) }
  }
}

extension SharingMessage {
  /// The message with the counters of a port.
  package static func counters(_ counters: LineCounters) -> SharingMessage {
    .counters(LineCounters.all.map { counters[keyPath: $0] })
  }
}

extension LineCounters {
  /// The counters of a message.
  init(_ numbers: [UInt32]) {
    self.init()
    for (counter, number) in zip(Self.all, numbers) { self[keyPath: counter] = number }
  }
}
