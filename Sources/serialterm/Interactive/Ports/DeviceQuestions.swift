import SerialCore
import Sessions
import Terminal
import TerminalWidgets
import TextStages

/// Answers the questions of a device to its terminal, where the user wants that. Otherwise the
/// first one is a reason to tell the user, once.
final class DeviceQuestions {
  private let port: Port
  private let view: DeviceView
  private let console: Console
  private let keys: CommandKeys?
  private var hint = Hint.unused

  /// What the user knows of questions without an answer.
  private enum Hint {
    case unused
    /// The hint waits for the end of a line, on the main screen.
    case due(String)
    case given
  }

  /// The number of bytes of answers that may wait to be sent. A device that does not take them
  /// gets no more of them.
  private static let mostWaiting = 256

  /// - Parameter keys: the user's keys; nil if the input is not a terminal.
  init(of port: Port, in view: DeviceView, on console: Console, keys: CommandKeys?) {
    (self.port, self.view, self.console, self.keys) = (port, view, console, keys)
  }

  /// Answers the questions in bytes that have just arrived.
  ///
  /// - Parameter show: shows these bytes.
  func answer(showing show: () -> Void) {
    // Old bytes may have been shown before: those of the time before the user joined the session,
    // or of a pause. Nobody waits for an answer to their questions.
    _ = view.takeQuestions()
    show()
    for question in view.takeQuestions() { answer(question) }
    if case .due(let text) = hint { give(text) }
  }

  private func answer(_ question: TerminalQuestion) {
    let (state, size) = (port.model.state, console.screen.textSize)
    guard
      let answer = question.answer(with: state.answers, rows: size.rows, columns: size.columns)
    else {
      if case .unused = hint, state.answers == .off,
        KeyboardParameters.answer.command.refusal(in: state) == nil
      {
        hint = .due(Self.hint(at: question))
      }
      return
    }
    let session = port.session
    guard Need.toSend.unmet(in: state) == nil,
      session.queuedByteCount(by: .terminal) < Self.mostWaiting
    else { return }
    // A port that has no room, or is lost, gets no answer.
    _ = try? session.write(
      Array(answer.utf8).span.bytes, by: .terminal, withPenOf: session.owner)
  }

  // MARK: The hint

  /// Shows bytes, and the hint behind a line in them.
  ///
  /// - Parameter show: shows a part of the bytes.
  func hint(
    among bytes: UnsafeRawBufferPointer, showing show: (UnsafeRawBufferPointer) -> Void
  ) {
    guard case .due(let text) = hint, let feed = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      return show(bytes)
    }
    show(UnsafeRawBufferPointer(rebasing: bytes[...feed]))
    give(text)
    show(UnsafeRawBufferPointer(rebasing: bytes[(feed + 1)...]))
  }

  private func give(_ text: String) {
    guard console.isAtMargin, !view.isAlternateScreen, let keys else { return }
    hint = .given
    let command = keys.prefix == .none ? "--answer" : "\(keys.prefix) : answer"
    console.say(port.named("\(text) and gets no answer: \(command) gives one."))
  }

  private static func hint(at question: TerminalQuestion) -> String {
    question.isAboutSize
      ? "the device asks for the size of the window" : "the device asks what this terminal is"
  }
}
