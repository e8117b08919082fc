import EventLoop
import SerialCore

/// How long a break lasts; see tcsendbreak(3): 250 ms to 500 ms.
private let breakLength = Duration.milliseconds(250)

/// What the user does: the controller's half of the command table.
extension ConnectController {
  /// Does what the key after the prefix stands for, or says why not.
  func perform(_ key: UInt8) {
    guard let command = Command(key: key) else {
      let name = Character(Unicode.Scalar(key))
      let shown = key < 0x20 ? "\(PrefixKey.control(key))" : "\(name)"
      return console.answer(["\(shown) is no command; \(configuration.prefix) ? lists them."])
    }
    switch command.availability(in: model.state) {
    case .enabled: perform(command)
    case .disabled(let reason): console.answer(["\(command.entry.name) is off: \(reason)."])
    }
  }

  private func perform(_ command: Command) {
    switch command {
    case .help:
      let list = CommandList(state: model.state, prefix: configuration.prefix)
      console.answer(list.lines(style: console.messageStyle))
    case .quit: finishAfterSending(patience: Drain.Patience(total: configuration.drain))
    case .sendBreak: sendBreak()
    case .showConfiguration: console.answer(model.state.summary)
    case .localEcho:
      model.update { $0.echoesLocally.toggle() }
      console.answer(["local echo is \(model.state.echoesLocally ? "on" : "off")."])
    case .clearScreen: console.clear()
    case .reconnect:
      model.update { $0.reconnects.toggle() }
      session.waitsForLostDevice = model.state.reconnects
      console.answer(["a lost device \(model.state.reconnects ? "is" : "is not") waited for."])
    case .statistics: console.answer(statistics.lines(unsent: session.unsentByteCount))
    }
  }

  private func sendBreak() {
    do {
      try session.setBreak(true)
    } catch {
      return console.answer([Failure(error).message])
    }
    breakTimer = loop.schedule(after: breakLength) { [unowned self] in
      // The device may have gone meanwhile, and the break with it.
      _ = try? session.setBreak(false)
      console.answer(["break sent."])
    }
  }

  /// Says why what was typed does not reach the device.
  func refuse(_ count: Int) {
    let reason = Need.sending.unmet(in: model.state) ?? Need.openPort.unmet(in: model.state)
    refusals.add(count, because: reason ?? "the queue is full, the device is too slow")
  }
}
