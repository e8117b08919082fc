import Posix
import SystemPackage
import TerminalUI

/// What is sent besides what is typed, and what is not.
extension ConnectController {
  // MARK: Files

  func askForFile(in folder: FilePath) {
    dialogs.ask(
      Question(
        title: "file to send",
        choices: { FileChoices.choices(typed: $0, in: folder) },
        onAnswer: { [unowned self] answer in
          let path = FilePath(answer)
          if (try? path.stat().type) == .directory { askForFile(in: path) } else { send(path) }
        }
      ).whileOn(.sendFile, in: model))
  }

  private func send(_ path: FilePath) {
    let transfer: FileTransfer
    do throws(Failure) {
      transfer = try FileTransfer(of: path, to: session, on: loop)
    } catch {
      return console.answer([error.message])
    }
    // The list was open for a while.
    if case .disabled(let reason) = Command.sendFile.availability(in: model.state) {
      return console.answer(["\(transfer.name) is not sent: \(reason)."])
    }
    transfer.onProgress = { [unowned self] count in
      model.update { $0.transfer?.sentCount = count }
    }
    transfer.onEnd = { [unowned self] in transferEnded($0) }
    self.transfer = transfer
    model.update { $0.transfer = .init(name: transfer.name, size: transfer.size) }
    console.say("sending \(transfer.name), \(transfer.size.grouped) bytes; ctrl-c stops.")
    transfer.begin()
  }

  private func transferEnded(_ end: FileTransfer.End) {
    guard let transfer else { return }
    self.transfer = nil
    model.update { $0.transfer = nil }
    let sent = transfer.sentCount.grouped
    let part = "\(sent) of \(transfer.size.grouped) bytes were sent"
    switch end {
    case .done:
      let tenths = (MonotonicTime.now - transfer.start).nanoseconds / 100_000_000
      console.say("\(transfer.name) was sent: \(sent) bytes in \(tenths / 10).\(tenths % 10) s.")
    case .stopped: console.warn("\(transfer.name) was stopped: \(part).")
    case .portGone: console.warn("\(transfer.name) was cut off: \(part).")
    case .unreadable(let error):
      console.warn("\(transfer.name) cannot be read to its end (\(error)): \(part).")
    }
  }

  /// What is typed while a file is sent would come to stand in the middle of it.
  func takeKeysOfTransfer(_ bytes: UnsafeRawBufferPointer) -> Int {
    let interrupt: UInt8 = 0x03
    if bytes.contains(interrupt) { transfer?.stop() } else { refuse(bytes.count) }
    return bytes.count
  }

  // MARK: Refusing

  /// Says why what was typed does not reach the device.
  func refuse(_ count: Int) {
    let reason = [Need.sending, .openPort, .noTransfer].lazy
      .compactMap { [model] in $0.unmet(in: model.state) }.first
    refusals.add(count, because: reason ?? "the queue is full, the device is too slow")
  }
}
