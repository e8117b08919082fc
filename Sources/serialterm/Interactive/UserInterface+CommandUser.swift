import Framing
import Plotting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets

/// The user as commands see it: each request goes to the part whose job it is.
extension UserInterface: CommandUser {
  func ask<Answer>(_ question: Question<Answer>) { dialogs.ask(question) }
  var usedCommands: [String] { keyboard.histories.usedCommands }
  func noteUse(of command: Command) { keyboard.histories.note(command) }
  func updateQuestion() { dialogs.refresh(isUrgent: true) }
  func show(_ lines: [String]) { console.answer(lines) }
  func clearScreen() { console.clear() }
  func rememberStatusLine(_ isOn: Bool) { views.statusChoice.remember(isOn) }

  var frameCounts: FrameCounts? { focus.port.view.frameCounts }
  var droppedSequenceCount: Int { focus.port.view.droppedSequenceCount }

  func openSearch() { search.openSearch() }
  func askWhatToWrite() { search.askWhatToWrite() }

  func showPlot() -> CommandOutcome { plots.plot.show(focus.ports) }
  func askWhatToSave() { plots.askWhatToSave() }
  func readNumbers(as form: SampleForm?) { plots.readNumbers(as: form) }

  func send(_ text: [UInt8], done: @escaping () -> Void) throws(Failure) {
    try keyboard.send(.text(text))
    done()
  }
  func sendScreenSize() throws(Failure) { try views.sizes.sendSize() }

  func transfer(_ order: TransferOrder) throws(Failure) { try exchanges.transfers.transfer(order) }
  var receivingFolder: FilePath { exchanges.transfers.receivingFolder }
  func run(script: FilePath) throws(Failure) { try exchanges.scripts.run(script: script) }
  func run(program: String) throws(Failure) { try exchanges.programs.run(program: program) }
  var recentCommands: [String] { exchanges.programs.recentCommands }
  func startRepeating(_ order: RepeatOrder) throws(Failure) {
    try exchanges.repetition.start(order)
  }
  func stopRepeating() -> CommandOutcome {
    exchanges.repetition.end(because: .stopped)
    return .done
  }
  func stopExchange() { focus.port.controller.sending.exchange?.stop() }

  func moveFocus(to name: String?) { focus.move(to: name) }
  var focusName: String { focus.name }
  func toggleSendToAll() { focus.toggleSendToAll() }

  func quit() { leaving.quit() }

  func toggleFilter() {
    let filter = focus.port.filter
    if filter.isOn { filter.stop() } else { filter.start() }
  }

  /// Lists the commands: one per line if they are printed anyway; otherwise on the alternate
  /// screen. A terminal without one shows them below the text if they fit, else in pages.
  func showCommandList() {
    let list = CommandList(state: model.state, prefix: keyboard.keys.prefix)
    let size = console.screen.textSize
    if dialogs.isPlain {
      return dialogs.print(list.lines(columns: size.columns), rows: size.rows)
    }
    let lines = list.lines(on: size)
    let canCover = console.screen.canCoverWhole
    // The rows of the cursor and of the edited line stay free.
    let rest = size.rows - 1 - (model.state.editsLines ? 1 : 0)
    if !canCover, lines.count <= rest, lines.allSatisfy({ $0.width <= size.columns }) {
      return console.answer(lines)
    }
    dialogs.show { [unowned self] size in
      CommandList(state: model.state, prefix: keyboard.keys.prefix).lines(on: size)
    }
  }
}
