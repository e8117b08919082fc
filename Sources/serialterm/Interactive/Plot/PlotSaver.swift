import EventLoop
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// Asks a user what of a plot to save, and where, and writes it.
final class PlotSaver {
  /// What is saved of a plot.
  enum Content: Hashable {
    case picture, seenValues, allValues

    fileprivate var suffix: String { self == .picture ? "svg" : "csv" }
  }

  private let dialogs: Dialogs
  private let saver: FileSaver
  private let loop: IOLoop

  init(with dialogs: Dialogs, saver: FileSaver, loop: IOLoop) {
    (self.dialogs, self.saver, self.loop) = (dialogs, saver, loop)
  }

  /// Asks, and saves.
  ///
  /// - Parameters:
  ///   - name: the suggested name, without its suffix.
  ///   - allValues: all values, in words.
  ///   - refusal: why values cannot be saved; nil if they can.
  ///   - contents: returns the file's contents; nil if there are none.
  func ask(
    suggesting name: FilePath, allValues: String, refusal: String?,
    contents: @escaping (Content) -> FileWrite.Contents?
  ) {
    dialogs.ask(
      Question<Content>(
        title: "save",
        choices: { _ in
          [
            Choice(id: .picture, title: "picture of what is shown", detail: "SVG"),
            Choice(
              id: .seenValues, title: "values that are shown", detail: "CSV", refusal: refusal),
            Choice(id: .allValues, title: allValues, detail: "CSV", refusal: refusal),
          ]
        },
        onAnswer: { [unowned self] content in
          dialogs.ask(
            .newFile(
              "save to", suggesting: Self.freeName("\(name)", content.suffix), on: loop,
              update: { [unowned self] in dialogs.refresh(isUrgent: true) },
              refusal: {
                content == .picture
                  ? PlotParameters.objection(toPicture: $0)
                  : PlotParameters.objection(toTable: $0)
              },
              onAnswer: { [unowned self] path in
                guard let contents = contents(content) else { return }
                saver.save(to: path, permitting: .replace, contents: contents)
              }))
        }))
  }

  /// A name that no file has: `sine.svg`, `sine-2.svg`.
  static func freeName(_ name: String, _ suffix: String) -> FilePath {
    let names = ["\(name).\(suffix)"] + (2...999).map { "\(name)-\($0).\(suffix)" }
    return FilePath(
      names.first { (try? FilePath($0).stat(followTargetSymlink: false)) == nil } ?? names[0])
  }
}
