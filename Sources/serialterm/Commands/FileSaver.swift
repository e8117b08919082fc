import EventLoop
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// Writes files for the user of a terminal: asks before a file that exists is changed, and
/// reports the result.
final class FileSaver {
  private let console: Console
  private let dialogs: Dialogs
  private let loop: IOLoop
  private var write: FileWrite?

  init(on console: Console, dialogs: Dialogs, loop: IOLoop) {
    (self.console, self.dialogs, self.loop) = (console, dialogs, loop)
  }

  /// Whether a file is being written.
  var isWriting: Bool { write != nil }

  /// Writes a file, and reports it.
  ///
  /// - Parameter permitted: what may happen to a file that exists, if the user agrees.
  func save(
    to path: FilePath, existing: FileWrite.Existing = .leaveAlone,
    permitting permitted: FileWrite.Existing = .appendTo, contents: @escaping FileWrite.Contents
  ) {
    write = FileWrite(to: path, existing: existing, on: loop, contents: contents) {
      [unowned self] outcome in
      write = nil
      switch outcome {
      case .done(let count): console.say("\(path.string.harmless): \(count.bytesWere) written.")
      case .exists:
        dialogs.ask(
          .whether(
            permitted == .replace ? "replace it" : "append to it", existing: path,
            otherwise: "do not write"
          ) { [unowned self] in
            save(to: path, existing: permitted, contents: contents)
          })
      case .failed(let error, let count):
        console.warn(
          Failure(with: path, error, followingLinks: false).message
            + (count > 0 ? " \(count.bytesWere) written before that." : ""))
      }
    }
  }
}

extension Question<Bool> {
  /// A question about a file that exists. Enter alone leaves it alone.
  static func whether(
    _ action: String, existing path: FilePath, otherwise: String, then perform: @escaping () -> Void
  ) -> Question {
    Question(
      title: "\(path.lastComponent?.string ?? path.string) exists",
      choices: { _ in
        [
          Choice(id: false, title: otherwise, isCurrent: true), Choice(id: true, title: action),
        ]
      },
      onAnswer: { if $0 { perform() } })
  }
}
