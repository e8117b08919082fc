import EventLoop
import PlainText
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// What is sent besides what is typed, and what is not.
extension UserInterface {
  // MARK: Texts

  func send(_ bytes: [UInt8]) throws(Failure) {
    guard input.send(exactly: bytes) else {
      throw Failure(
        .otherFailure,
        "\(bytes.count.bytesWere) not sent: the queue is full, the device is too slow.")
    }
  }

  // MARK: Files

  func send(_ path: FilePath) throws(Failure) {
    // The focus may move while the file is sent.
    let port = focus
    let source = try FileSource(ofUser: path)
    let file = PlainFile(path, source)
    let transfer = FileTransfer(file, on: session, loop: loop, source: source)
    transfer.onReport = { [unowned port] count in
      port.model.update { $0.progress = .bytes(count, of: file.size) }
    }
    transfer.onEnd = { [unowned self, unowned port, unowned transfer] in
      transferEnded(transfer, $0, to: port)
    }
    controller.exchange = transfer
    port.say("sending \(file.name), \(file.size.counted("byte")); ctrl-c stops.")
    do throws(SerialError) {
      try transfer.begin()
    } catch {
      controller.exchange = nil
      throw Failure(error)
    }
  }

  private func transferEnded(
    _ transfer: FileTransfer, _ end: PlainFile.End, to port: PortPresenter
  ) {
    exchangeEnded(at: port)
    let file = transfer.exchange
    port.controller.unsent.file(file, end)
    guard end == .done else { return }
    let count = file.sentCount.counted("byte")
    port.say("\(file.name) was sent: \(count) in \((loop.now - transfer.start).inTenths) s.")
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
