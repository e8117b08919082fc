import TextStages

/// Who sends the next message of Modbus, for those that a client and a server can both have sent.
struct ModbusTurns: Hashable {
  /// Who sends in this direction; nil if both do, or if it is unknown. A message that only the
  /// other side can send corrects it.
  private var sender: ModbusMessage.Sender?
  /// Whether the direction tells the sender, so that it is not read from the order of messages.
  private let isOneDirection: Bool
  /// The slave and the function of the last request, until its answer.
  private var asked: [UInt8] = []

  /// - Parameter direction: the direction of the bytes; nil if both are mixed. Requests are
  ///   expected in the direction to the device.
  init(_ direction: Direction?) {
    isOneDirection = direction != nil
    sender = direction.map { $0 == .toDevice ? .client : .server }
  }

  /// The more likely sender of a message.
  func likelySender(of message: ArraySlice<UInt8>) -> ModbusMessage.Sender {
    let isAnswer = isOneDirection ? sender == .server : asked.elementsEqual(message.prefix(2))
    return isAnswer ? .server : .client
  }

  /// Records a message and its sender.
  mutating func add(_ message: ArraySlice<UInt8>, from sender: ModbusMessage.Sender) {
    asked = sender == .client ? Array(message.prefix(2)) : []
    if isOneDirection { self.sender = sender }
  }
}
