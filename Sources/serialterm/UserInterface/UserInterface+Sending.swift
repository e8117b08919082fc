import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// Sending texts that are not typed, and refusing typed text.
extension UserInterface {
  // MARK: Texts

  func send(_ bytes: [UInt8]) throws(Failure) {
    guard input.send(exactly: bytes) else {
      throw Failure(
        .otherFailure,
        "\(bytes.count.bytesWere) not sent: the queue is full, the device is too slow.")
    }
  }

  // MARK: Exchanges

  /// Handles the end of an exchange: the user has the pen again.
  func exchangeEnded(at port: PortPresenter) {
    port.controller.exchange = nil
    if isAskingToQuit { dialogs.dismiss() }
  }

  // MARK: Refusing

  /// Reports why typed bytes do not reach the device.
  func refuse(_ count: Int) {
    let unmet = Need.toSend.unmet(in: model.state)
    let reason = unmet ?? "the queue is full, the device is too slow"
    if terminal != nil {
      refusals.add(count, because: reason, advice: penAdvice(for: reason))
    } else {
      refusals.addPiped(count, because: reason)
    }
  }

  /// How the user gets the pen, if that is the reason why nothing was sent; nil if there is no way now.
  private func penAdvice(for reason: String) -> String? {
    guard reason == Need.pen.unmet(in: model.state), let key = penKeyName,
      Command.pen.availability(in: model.state) == .enabled
    else { return nil }
    return switch model.state.sharing.pen {
    case .free: "Press \(key) to get the keyboard."
    case .others(let person) where person.answers: "Press \(key) to ask for the keyboard."
    case .others, .mine, .everybodys, .nobodys: nil
    }
  }
}

extension UserInterface: KeyReceiver {
  /// Handles typed bytes while a file is sent, or a script or program runs. They are not sent, because the device
  /// would receive them in the middle of that.
  func receive(typed bytes: UnsafeRawBufferPointer) -> Int {
    let interrupt: UInt8 = 0x03
    if bytes.contains(interrupt) { stopExchange() } else { refuse(bytes.count) }
    return bytes.count
  }
}
