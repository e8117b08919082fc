package import TerminalWidgets
package import TextStages

/// The place for the text of a port: the whole screen, or lines among those of other ports.
package protocol ViewPlace: AnyObject {
  /// Whether there is no other text, so that the device may draw if it has the permission.
  var isWholeScreen: Bool { get }
  /// The width for the text, in columns.
  var columns: Int { get }
  /// Whether the cursor is known to be in the first column of an empty line.
  var isAtMargin: Bool { get }
  /// The escape sequences of a device that may take effect here.
  var permission: EscapeFilter.Permission { get }

  /// Makes a view the source of the text.
  func setSource(_ view: any ScreenDelegate)

  /// Shows text.
  func show(_ bytes: UnsafeRawBufferPointer)

  /// Shows the unfinished lines.
  func showHeld()

  /// Shows a line that the device did not send, after a line of the device that is complete.
  func show(note: StyledLine)

  /// Records how to undo what the device has switched, before it reaches the terminal.
  func willSwitch(with restoration: [UInt8])

  /// Records what the device has switched, after it was shown.
  func setSwitched(_ modes: DeviceModes)

  /// Writes sequences that undo the device's changes of the terminal.
  func restore(_ sequences: [UInt8])
}

/// The whole screen, for the only port.
extension Console: ViewPlace {
  package var isWholeScreen: Bool { true }
  package var columns: Int { screen.columns }
  package var permission: EscapeFilter.Permission {
    kind != .drawing ? .none : screen.isTopFree ? .drawing : .colours
  }

  package func setSource(_ view: any ScreenDelegate) { screen.delegate = view }

  package func showHeld() {}

  package func show(note: StyledLine) { answer([note]) }

  package func willSwitch(with restoration: [UInt8]) { screen.deviceRestoration = restoration }

  package func setSwitched(_ modes: DeviceModes) { screen.deviceModes = modes }

  package func restore(_ sequences: [UInt8]) { screen.restore(sequences) }
}
