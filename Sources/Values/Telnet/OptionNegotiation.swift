/// The state of one option on one side of a connection, by the "Q method" of RFC 1143. The
/// negotiation ends for any messages of the other side, in any order.
struct OptionNegotiation {
  /// Whether the option is in use.
  private(set) var isOn = false
  /// The state that the other side was asked for and has not answered; nil for none.
  private var asked: Bool?
  /// Whether the opposite of the asked state is wanted when the other side has answered.
  private var isOppositeWanted = false
  /// The number of messages that were sent about the option.
  private var messageCount = 0

  /// The maximum number of messages about one option. A side that changes its mind more often
  /// gets no answer.
  static let messageLimit = 20

  /// The reaction to a message of the other side.
  struct Effect: Equatable {
    /// The message to send: on or off; nil for none.
    var message: Bool?
    /// The new state, if it has changed or if a request was refused.
    var outcome: Bool?
    /// Whether the other side has asked for an option that is not acceptable.
    var isDeclined = false
  }

  /// Asks the other side to switch the option on or off.
  ///
  /// - Returns: the message to send; nil for none.
  mutating func ask(for on: Bool) -> Bool? {
    if let asked {
      isOppositeWanted = asked != on
      return nil
    }
    guard isOn != on else { return nil }
    asked = on
    return message(on)
  }

  /// Handles a message of the other side that the option is on (WILL, DO) or off (WONT, DONT).
  ///
  /// - Parameter isAcceptable: whether the option may be on.
  mutating func receive(_ on: Bool, isAcceptable: Bool) -> Effect {
    guard let asked else {
      // The message is a request of the other side.
      guard isOn != on else { return Effect() }
      if on && !isAcceptable { return Effect(message: message(false), isDeclined: true) }
      isOn = on
      return Effect(message: message(on), outcome: on)
    }
    // The message is the answer to a request.
    self.asked = nil
    let wanted = isOppositeWanted ? !asked : asked
    let before = isOn
    // "On" as an answer to "off" is an error. It is accepted if "on" is wanted by now.
    isOn = on && (asked || isOppositeWanted)
    isOppositeWanted = false
    let outcome: Bool? = before != isOn || (asked && !on) ? isOn : nil
    return Effect(
      message: wanted == isOn || wanted == asked ? nil : ask(for: wanted), outcome: outcome)
  }

  /// Counts a message.
  private mutating func message(_ on: Bool) -> Bool? {
    guard messageCount < Self.messageLimit else { return nil }
    messageCount += 1
    return on
  }
}
