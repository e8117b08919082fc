/// The state of one option on one side of a connection, by the "Q method" of RFC 1143: it ends whatever
/// the other side says, and in whatever order.
struct OptionNegotiation {
  /// Whether the option is in use.
  private(set) var isOn = false
  /// What the other side was asked and has not answered.
  private var asked: Bool?
  /// What is wanted once the other side has answered, if that is the opposite of what it was asked.
  private var isOppositeWanted = false
  /// The number of messages that were sent about the option.
  private var messageCount = 0

  /// The most messages about one option. A side that changes its mind more often is not answered.
  static let messageLimit = 20

  /// What to do about a message of the other side.
  struct Effect: Equatable {
    /// What to send: on or off; nil for nothing.
    var message: Bool?
    /// The new state, if it has changed or if a wish was refused.
    var outcome: Bool?
  }

  /// Asks the other side to switch the option on or off.
  ///
  /// - Returns: what to send; nil for nothing.
  mutating func ask(for on: Bool) -> Bool? {
    if let asked {
      isOppositeWanted = asked != on
      return nil
    }
    guard isOn != on else { return nil }
    asked = on
    return message(on)
  }

  /// The other side says that the option is on (WILL, DO) or off (WONT, DONT).
  ///
  /// - Parameter isAcceptable: whether the option may be on.
  mutating func receive(_ on: Bool, isAcceptable: Bool) -> Effect {
    guard let asked else {
      // A request of the other side.
      guard isOn != on else { return Effect() }
      if on && !isAcceptable { return Effect(message: message(false)) }
      isOn = on
      return Effect(message: message(on), outcome: on)
    }
    // The answer.
    self.asked = nil
    let wanted = isOppositeWanted ? !asked : asked
    let before = isOn
    // "Off" that is answered by "on" is an error; "on" is taken if it is wanted by now.
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
