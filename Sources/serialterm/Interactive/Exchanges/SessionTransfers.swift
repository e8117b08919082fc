import EventLoop
import Observing
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools
import Time
import TransferProtocols

/// Sends and receives files for the user, and reports what the devices offer.
final class SessionTransfers {
  private let focus: PortFocus
  private let keyboard: Keyboard
  private let questions: SessionQuestions
  private let app: App
  private var offers: [ObservationToken<Change<TerminalState>>] = []

  init(of focus: PortFocus, _ keyboard: Keyboard, _ questions: SessionQuestions, in app: App) {
    (self.focus, self.keyboard, self.questions, self.app) = (focus, keyboard, questions, app)
  }

  /// Starts to follow the offers of a port's device.
  func observeOffers(of port: PortPresenter) {
    offers.append(
      port.model.$state.observe(\.offer) { [unowned self, unowned port] offer in
        if let new = offer.new { deviceOffers(new, at: port) }
      })
  }

  /// Starts to send or receive files at the port with the focus.
  ///
  /// - Throws: ``Failure`` if a file cannot be used, or the line cannot carry the protocol.
  func transfer(_ order: TransferOrder) throws(Failure) {
    // The focus may move while the transfer runs.
    try transfer(order, at: focus.port)
  }

  private func transfer(_ order: TransferOrder, at port: PortPresenter) throws(Failure) {
    if case .send(let paths) = order.files, order.fileProtocol == .raw, paths.count == 1 {
      return try send(paths[0], at: port)
    }
    let player = try TransferPlayer(
      order, on: port.port, loop: app.loop, outlivesLoss: true,
      onReport: { [unowned self, unowned port] in show($0, at: port) },
      onEnd: { [unowned self, unowned port] in transferEnded($0, at: port) })
    port.say(order.beginning)
    do throws(SerialError) { try player.begin() } catch { throw Failure(error) }
  }

  /// Shows the progress of a transfer, and prints its messages.
  func show(_ report: TransferPlayer.Report, at port: PortPresenter) {
    if case .status(let status) = report { port.model.update { $0.progress = .transfer(status) } }
    if let sentence = report.sentence { port.say(sentence) }
  }

  private func transferEnded(_ end: TransferPlayer.End, at port: PortPresenter) {
    questions.exchangeDidEnd()
    switch end {
    case .done: break
    case .failed(let message), .timedOut(let message), .stopped(let message),
      .cutOff(let message):
      app.console.warn(port.port.named(message))
      port.controller.sending.transferDidFail()
    }
  }

  // MARK: A single file without a protocol

  private func send(_ path: FilePath, at port: PortPresenter) throws(Failure) {
    let source = try FileSource(ofUser: path)
    let file = PlainFile(path, source)
    weak var sending: FileTransfer?
    let transfer = FileTransfer(
      file, on: port.controller.session, ownedBy: port.controller.sending, loop: app.loop,
      source: source,
      onReport: { [unowned port] count in
        port.model.update { $0.progress = .bytes(count, of: file.size) }
      },
      onEnd: { [unowned self, unowned port] end in
        if let sending { fileEnded(sending, end, at: port) }
      })
    sending = transfer
    port.say("sending \(file.name), \(file.size.counted("byte")); ctrl-c stops.")
    do throws(SerialError) { try transfer.begin() } catch { throw Failure(error) }
  }

  private func fileEnded(
    _ transfer: FileTransfer, _ end: PlainFile.End, at port: PortPresenter
  ) {
    questions.exchangeDidEnd()
    let file = transfer.exchange
    port.controller.sending.reportUnsent(file, end)
    guard end == .done else { return }
    let count = file.sentCount.counted("byte")
    let time = app.loop.now - transfer.start
    port.say(
      "sent \(file.name), \(count)"
        + (time < .milliseconds(100) ? "." : " in \(time.inTenths) s."))
  }

  // MARK: The device's offers

  /// The folder for received files.
  var receivingFolder: FilePath { focus.port.configuration.autoReceiveFolder ?? "." }

  /// Reports an offer or request of the device, or starts to receive if the user wants that.
  private func deviceOffers(_ offer: DeviceOffer, at port: PortPresenter) {
    guard port.model.state.exchange == nil else { return }
    if case .sends(let kind) = offer, let folder = port.configuration.autoReceiveFolder,
      Need.toSend.unmet(in: port.model.state) == nil
    {
      let order = TransferOrder(
        fileProtocol: kind, files: .receive(into: folder, IncomingFolder.Rules()))
      do throws(Failure) { try transfer(order, at: port) } catch { port.say(error.message) }
      return
    }
    let (command, does) =
      switch offer {
      case .sends: (Command.receiveFiles.command, "receives them")
      case .requests: (Command.sendFile.command, "sends one")
      }
    guard keyboard.terminal != nil, let key = keyboard.keys.name(of: command) else { return }
    port.say("\(offer.words): \(key) \(does).")
  }
}

extension TerminalState {
  /// Whether a protocol is sending or receiving files.
  var isTransferring: Bool {
    if case .transfer = progress { screen == .drawing } else { false }
  }
}

extension TransferOrder {
  /// The message at the start of a transfer.
  fileprivate var beginning: String {
    switch files {
    case .send(let paths):
      let what =
        paths.count == 1
        ? (paths[0].lastComponent?.string ?? paths[0].string).harmless
        : paths.count.counted("file")
      let how = fileProtocol.isPlain ? "" : " by \(fileProtocol.title)"
      return "sending \(what)\(how); ctrl-c stops."
    case .receive(let folder, _):
      let place = folder == "." ? "the working folder" : folder.string.harmless
      return "receiving into \(place) by \(fileProtocol.title); ctrl-c stops."
    }
  }
}
