/// Where typed bytes go: a pure function of the state of the port with the focus, and of whether a
/// dialog is open.
enum KeyRoute: Hashable {
  /// To the open dialog: a question, a text in pages, a plot.
  case dialog
  /// To the exchange that has the pen: ctrl-c stops it, and everything else is refused.
  case exchange
  /// To the line that the user edits before it is sent.
  case line
  /// To the device.
  case device
  /// Nowhere, with the reason.
  case refused(Reason)

  init(for state: TerminalState, isDialogOpen: Bool) {
    self =
      if isDialogOpen {
        .dialog
      } else if state.exchange != nil {
        .exchange
      } else if state.editsLines {
        // A line can be edited before it can be sent.
        .line
      } else if let reason = Self.refusal(in: state) {
        .refused(reason)
      } else {
        .device
      }
  }

  /// Why nothing that the user or the pipe sends may reach the device; nil if it may.
  ///
  /// A port that is not open is no reason: the session refuses what is typed, and the bytes of a
  /// pipe wait for it.
  static func refusal(in state: TerminalState) -> Reason? {
    [Need.sending, .pen].unmet(in: state)
  }
}
