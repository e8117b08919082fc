import Posix
import SerialCore
import SystemPackage

/// What is sent besides what is typed, and what is not.
extension ConnectController {
  // MARK: Files

  func send(_ path: FilePath) throws(Failure) {
    let transfer = try FileTransfer(of: path, to: session, on: loop)
    transfer.onProgress = { [unowned self, unowned transfer] count in
      model.update { $0.progress = .init(size: transfer.size, sentCount: count) }
    }
    transfer.onEnd = { [unowned self] in transferEnded($0) }
    parts.transfer = transfer
    console.say("sending \(transfer.name), \(transfer.size.counted("byte")); ctrl-c stops.")
    do throws(SerialError) {
      try transfer.begin()
    } catch {
      parts.transfer = nil
      throw Failure(error)
    }
  }

  private func transferEnded(_ end: FileTransfer.End) {
    guard let transfer = parts.transfer else { return }
    parts.transfer = nil
    if isAskingToQuit { dialogs.dismiss() }
    parts.unsent.file(transfer, end)
    guard end == .done else { return }
    let tenths = (MonotonicTime.now - transfer.start).nanoseconds / 100_000_000
    let count = transfer.sentCount.counted("byte")
    console.say("\(transfer.name) was sent: \(count) in \(tenths / 10).\(tenths % 10) s.")
  }

  /// What is typed while a file is sent would come to stand in the middle of it.
  func takeKeysOfTransfer(_ bytes: UnsafeRawBufferPointer) -> Int {
    let interrupt: UInt8 = 0x03
    if bytes.contains(interrupt) { parts.transfer?.stop() } else { refuse(bytes.count) }
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
