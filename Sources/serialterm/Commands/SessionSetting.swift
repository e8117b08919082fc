import Options
import SerialCore
import Terminal
import TextStages

/// A setting that an option sets and a command of a session can change.
struct SessionSetting {
  let option: Declaration
  /// The texts that give the option its present value; empty if it has no value.
  let texts: [String]

  fileprivate init(_ option: any Declared, _ texts: String?...) {
    self.option = option.declaration
    self.texts = texts.compactMap { $0 }
  }
}

extension TerminalState {
  /// The settings that the commands of a session can change, in the order of the options.
  var settings: [SessionSetting] {
    let line = requestedSettings
    var settings = [
      SessionSetting(LineParameters.baud, "\(line.baudRate)"),
      SessionSetting(LineParameters.dataBits, "\(line.dataBits.rawValue)"),
      SessionSetting(LineParameters.parity, line.parity.rawValue),
      SessionSetting(LineParameters.stopBits, "\(line.stopBits.rawValue)"),
      SessionSetting(LineParameters.flow, line.flowControl.rawValue),
      SessionSetting(ConnectCommand.reconnect, "\(reconnects)"),
      SessionSetting(ConnectCommand.readOnly, "\(isReadOnly)"),
      SessionSetting(ConnectCommand.localEcho, "\(echoesLocally)"),
      SessionSetting(ConnectCommand.inputMode, editsLines ? "line" : "char"),
      SessionSetting(ConnectCommand.lineEnding, lineEnding.rawValue),
      SessionSetting(ViewParameters.hex, "\(view.isHex)"),
      SessionSetting(ViewParameters.timestamps, view.timestamps.map { "\($0)" }),
      SessionSetting(ViewParameters.map, view.map.rules.isEmpty ? nil : "\(view.map)"),
    ]
    // No command changes the user's own expressions.
    if !view.isHighlighting || view.highlights == Highlight.levels {
      settings.append(
        SessionSetting(
          ViewParameters.highlight, view.isHighlighting ? Highlight.presetName : nil))
    }
    return settings + [SessionSetting(ViewParameters.status, "\(showsStatus)")]
  }

  /// The texts of the options' default values, by the options' names.
  static let standardTexts = Dictionary(
    uniqueKeysWithValues: TerminalState().settings.map { ($0.option.name, $0.texts) })
}
