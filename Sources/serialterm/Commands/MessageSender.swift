import Encodings
import TextTools

/// What a command sends.
enum OutgoingMessage {
  /// Text, which is mapped and converted to the encoding of the device.
  case text([UInt8])
  /// Bytes, which are sent as they are.
  case numbers([UInt8])
}

/// Sends messages for the giver of a command: a person at a terminal, or a program.
protocol MessageSender: AnyObject {
  /// Sends a text as a paste is sent, and the checksum of the session after it.
  ///
  /// - Parameter done: called once it is sent, as far as the sender waits for that; not if the
  ///   sender is stopped.
  /// - Throws: ``Failure`` if there is no room for all of it. Then nothing is sent.
  func send(_ text: [UInt8], done: @escaping () -> Void) throws(Failure)
  /// Sends a message now and at intervals. Another one that was sent so ends.
  ///
  /// - Throws: ``Failure`` if it cannot be sent now. Then it is not repeated.
  func startRepeating(_ order: RepeatOrder) throws(Failure)
  /// Sends the message no more.
  func stopRepeating() -> CommandOutcome
}

extension Failure {
  /// The failure of a message that was not sent.
  static func unsent(_ count: Int, in state: TerminalState) -> Failure {
    let reason = Need.toSend.unmet(in: state) ?? .crowded
    return Failure(.otherFailure, "\(count.bytesWere) not sent: \(reason).")
  }

  /// The failure of a message with a character that the encoding of the device does not have.
  static func unsent(because character: UnencodableText) -> Failure {
    Failure(.otherFailure, "not sent: \(character).")
  }
}
