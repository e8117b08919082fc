import EventLoop
import PlainText
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// Texts that are sent besides what is typed, and what is not sent.
extension UserInterface {
  // MARK: Texts

  func send(_ bytes: [UInt8]) throws(Failure) {
    guard input.send(exactly: bytes) else {
      throw Failure(
        .otherFailure,
        "\(bytes.count.bytesWere) not sent: the queue is full, the device is too slow.")
    }
  }

  // MARK: What has the pen

  /// The pen is the user's again.
  func exchangeEnded(at port: PortPresenter) {
    port.controller.exchange = nil
    if isAskingToQuit { dialogs.dismiss() }
  }

  /// Takes what is typed while a file is sent, or a script or a program runs: the device would get it in
  /// the middle of that.
  func takeKeysOfExchange(_ bytes: UnsafeRawBufferPointer) -> Int {
    let interrupt: UInt8 = 0x03
    if bytes.contains(interrupt) { stopExchange() } else { refuse(bytes.count) }
    return bytes.count
  }

  // MARK: Refusing

  /// Says why what was typed does not reach the device.
  func refuse(_ count: Int) {
    let unmet = Need.toSend.unmet(in: model.state)
    let reason = unmet ?? "the queue is full, the device is too slow"
    if terminal != nil {
      refusals.add(count, because: reason)
    } else {
      refusals.addPiped(count, because: reason)
    }
  }
}
