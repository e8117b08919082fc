import Sessions

/// The commands about what runs.
extension Command {
  /// Stops the running exchange, the line sequence or the repetition. Only one of them runs at
  /// a time.
  static let stop = Command(
    nil, "stop", "stop what is running",
    or: [
      "cancel", "abort", "interrupt", "stop sending", "stop upload", "stop transfer", "stop script",
      "stop command", "stop sequence", "stop repeating",
    ], users: .exceptAgents, needs: [.activity],
    value: { state in
      state.progress.map { "\($0)" } ?? state.playing ?? state.repeating?.shownText
    }
  ) { call in
    if call.state.playing != nil {
      call.port.sequences.stop()
    } else if call.state.repeating != nil {
      guard let messages = call.messages else { return call.answer(.withoutUser) }
      return call.answer(messages.stopRepeating())
    } else {
      guard let user = call.user else { return call.answer(.withoutUser) }
      user.stopExchange()
    }
    // The starter of the exchange receives its outcome.
    call.answer(.done)
  }
}
