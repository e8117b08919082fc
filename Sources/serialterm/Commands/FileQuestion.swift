import EventLoop
import SystemPackage
import Terminal
import TerminalWidgets

/// The question for a file. It reads the folders of the typed path, one at a time.
final class FileQuestion {
  private let base: FilePath
  private let loop: IOLoop
  private let onComplete: () -> Void
  /// The folder to read, as it was typed.
  private var wanted: String?
  /// The folder that is being read.
  private var listing: (folder: String, work: BackgroundWork<FolderContents>)?
  private var read: (folder: String, contents: FolderContents)?
  /// The most recent choices: most keys do not change them.
  private var last: (key: FileChoices, choices: [Choice<FileChoices.Answer>])?

  /// The time that everything else waits for a folder. Most folders are read within this time.
  private static let patience = Duration.milliseconds(5)

  /// - Parameters:
  ///   - base: the folder that relative paths start from.
  ///   - onComplete: called when the choices for the last text are complete.
  init(in base: FilePath = ".", on loop: IOLoop, onComplete: @escaping () -> Void) {
    self.base = base
    self.loop = loop
    self.onComplete = onComplete
  }

  /// Whether the folder of a path is still being read.
  func isPending(_ typed: String) -> Bool { read?.folder != FileChoices.folder(of: typed) }

  /// The choices for a path.
  func choices(_ typed: String) -> [Choice<FileChoices.Answer>] {
    let folder = FileChoices.folder(of: typed)
    if read?.folder != folder {
      wanted = folder
      _ = readNext()
    }
    let contents = read?.folder == folder ? read?.contents : nil
    let key = FileChoices(for: typed, in: contents)
    guard contents != nil else { return key.choices(in: nil) }
    if let last, last.key == key { return last.choices }
    let choices = key.choices(in: contents)
    last = (key, choices)
    return choices
  }

  /// The file that an answer names; nil for none.
  func path(of answer: FileChoices.Answer) -> FilePath? { FileChoices.path(of: answer, in: base) }

  /// Starts to read the requested folder, unless another one is being read. If no thread can be
  /// created, it reads during this call.
  ///
  /// - Returns: whether the folder has already been read.
  private func readNext() -> Bool {
    guard listing == nil, let folder = wanted else { return false }
    let base = base
    // A folder may have any number of entries, a disk or server may answer late or never, and the
    // path may contain a user's home, which is looked up.
    let list: @Sendable (() -> Bool) -> FolderContents = { isWanted in
      FolderContents(of: FileChoices.path(of: folder, in: base), while: isWanted)
    }
    do throws(Errno) {
      let work = try BackgroundWork(on: loop) { isOver in
        list { !isOver() }
      } onResult: { [unowned self] in
        listingEnded($0)
      }
      guard let contents = work.result(within: Self.patience) else {
        listing = (folder, work)
        return false
      }
      accept(contents, of: folder)
    } catch {
      accept(list { true }, of: folder)
    }
    return true
  }

  private func listingEnded(_ contents: FolderContents) {
    guard let folder = listing?.folder else { return }
    listing = nil
    if folder == wanted {
      accept(contents, of: folder)
    } else if !readNext() {
      return
    }
    onComplete()
  }

  private func accept(_ contents: FolderContents, of folder: String) {
    read = (folder, contents)
    last = nil
    wanted = nil
  }
}

extension Question<FileChoices.Answer> {
  /// A question for a file that exists.
  static func file(
    _ title: String, for user: any CommandUser, onAnswer: @escaping (FilePath) -> Void,
    onCancel: @escaping () -> Void = {}
  ) -> Question {
    let file = FileQuestion(on: user.loop) { [unowned user] in user.updateQuestion() }
    return Question(
      title: title, choices: { file.choices($0) }, isPending: { file.isPending($0) },
      continuation: FileChoices.continuation, answer: { $0.isEmpty ? nil : .file($0) },
      onAnswer: { answer in
        if let path = file.path(of: answer) { onAnswer(path) }
      }, onCancel: onCancel)
  }

  /// A question for a file to write, which need not exist: the typed name comes first
  /// if it can be written.
  ///
  /// - Parameters:
  ///   - suggestion: the answer to Enter alone; nil for none.
  ///   - update: called when the choices have become complete.
  ///   - kind: what a file of this name would be, in words; empty for nothing to say.
  ///   - refusal: why a file of this name cannot be written; nil if it can.
  static func newFile(
    _ title: String, suggesting suggestion: FilePath? = nil, on loop: IOLoop,
    update: @escaping () -> Void, kind: @escaping (FilePath) -> String = { _ in "" },
    refusal: @escaping (FilePath) -> String? = { _ in nil },
    onAnswer: @escaping (FilePath) -> Void, onCancel: @escaping () -> Void = {}
  ) -> Question {
    let file = FileQuestion(on: loop, onComplete: update)
    func new(_ name: String) -> Choice<FileChoices.Answer> {
      let path = FilePath(name)
      let kind = kind(path)
      return Choice(
        id: .file(name), title: name, detail: kind.isEmpty ? "new file" : "new: \(kind)",
        refusal: refusal(path), isTyped: true)
    }
    return Question(
      title: title, typing: "type a name",
      expected: "the name of a file, or a number of the list",
      choices: { typed in
        let listed = file.choices(typed).map { choice in
          guard case .file(let name) = choice.id else { return choice }
          var choice = choice
          choice.refusal = refusal(FilePath(name))
          return choice
        }
        if typed.isEmpty { return (suggestion.map { [new($0.string)] } ?? []) + listed }
        guard !typed.hasSuffix("/"), !listed.contains(where: { $0.name == typed }) else {
          return listed
        }
        return [new(typed)] + listed
      },
      isPending: { file.isPending($0) }, continuation: FileChoices.continuation,
      answer: { $0.isEmpty ? nil : .file($0) },
      onAnswer: { answer in
        if let path = file.path(of: answer) { onAnswer(path) }
      }, onCancel: onCancel)
  }
}
