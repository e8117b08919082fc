/// The commands of a session. Keys, the palette, the list of commands and their availability are all
/// made from this table; ``Command/entry`` is the record of each command.
enum Command: CaseIterable {
  case help
  case palette
  case quit

  case sendFile
  case stopSending
  case sendBreak
  case toggleLine
  case pulseLine
  case showLines
  case localEcho
  case lineInput
  case lineEnding
  case readOnly

  case baudRate
  case dataBits
  case parity
  case stopBits
  case flowControl

  case log
  case hexView
  case timestamps
  case timestampFormat
  case highlight
  case filter
  case mapping
  case inputMap
  case outputMap
  case statusLine
  case clearScreen

  case release
  case reconnect
  case showConfiguration
  case statistics

  /// The command of a key; nil if it has none.
  init?(key: UInt8) {
    let character = Character(Unicode.Scalar(key))
    guard let command = Self.allCases.first(where: { $0.entry.key == character }) else {
      return nil
    }
    self = command
  }
}
