import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools
import TransferProtocols

/// The commands that send and receive files.
extension Command {
  static let sendFile = CommandWithArgument(
    "x", "send-file", "send a file",
    or: ["upload", "transmit", "transfer", "paste file", "sz"] + TransferProtocol.words,
    users: [.person], needs: Need.toSend, value: { $0.offer?.requestedProtocol?.title },
    argument: .outgoingFile
  ) { file, call in
    call.start(TransferOrder(fileProtocol: file.fileProtocol, files: .send([file.path])))
  }

  static let receiveFiles = CommandWithArgument(
    "X", "receive-files", "receive files",
    or: ["download", "transfer", "rz", "save file"] + TransferProtocol.words,
    users: [.person], needs: Need.toSend,
    value: { if case .sends(let kind) = $0.offer { "offered by \(kind.title)" } else { nil } },
    argument: .reception
  ) { reception, call in
    var rules = IncomingFolder.Rules()
    var folder = call.user?.receivingFolder ?? "."
    if let file = reception.file {
      rules.name = file.lastComponent?.string
      folder = file.removingLastComponent()
      if folder.isEmpty { folder = "." }
    }
    call.start(
      TransferOrder(fileProtocol: reception.kind, files: .receive(into: folder, rules)))
  }
}

/// A file to send, and the protocol for it.
struct OutgoingFile: Hashable, Sendable {
  let path: FilePath
  let fileProtocol: TransferProtocol
}

/// The parameters of receiving files.
struct Reception: Hashable, Sendable {
  let kind: TransferProtocol
  /// The path of the file; only if the protocol sends no name.
  var file: FilePath?
}

extension CommandCall {
  /// Starts a transfer, and answers.
  fileprivate func start(_ order: TransferOrder) {
    guard let user else { return answer(.withoutUser) }
    do throws(Failure) {
      try user.transfer(order)
      answer(.done)
    } catch {
      answer(.failed(error.message))
    }
  }
}

extension ArgumentKind where Value == OutgoingFile {
  /// Asks for a file, then the protocol. The protocol that the device requests comes first.
  static var outgoingFile: Self {
    ArgumentKind(
      .file,
      parse: {
        $0.isEmpty
          ? nil : OutgoingFile(path: FileChoices.path(of: $0), fileProtocol: .standardToSend)
      },
      ask: { request, then in
        request.ask(
          .file("file to send", for: request.user) { path in
            // An unreadable file is reported immediately.
            guard (try? FileSource(opening: path)) != nil else {
              return then(OutgoingFile(path: path, fileProtocol: .standardToSend))
            }
            request.ask(
              Question(
                title: "how to send \((path.lastComponent?.string ?? path.string).harmless)",
                choices: { [model = request.model] _ in
                  TransferProtocol.choices(asked: model.state.offer?.requestedProtocol)
                },
                onAnswer: { then(OutgoingFile(path: path, fileProtocol: $0)) }))
          })
      })
  }
}

extension ArgumentKind where Value == Reception {
  /// Asks for the protocol, and for the file if the protocol sends no name. It skips the questions
  /// that the device's offer answers.
  static var reception: Self {
    let named = TransferProtocol.receiving.filter(\.sendsNames)
    return ArgumentKind(
      .choice(of: named.map(\.rawValue)),
      parse: { text in named.first { $0.rawValue == text }.map { Reception(kind: $0) } },
      ask: { request, then in
        if case .sends(let kind) = request.model.state.offer { return then(Reception(kind: kind)) }
        request.ask(
          Question(
            title: "how to receive",
            choices: { _ in
              let others = TransferProtocol.receiving.filter { $0 != .standardToReceive }
              return ([.standardToReceive] + others.reversed()).map { $0.choice(detail: $0.detail) }
            },
            onAnswer: { kind in
              guard !kind.sendsNames else { return then(Reception(kind: kind)) }
              request.ask(
                .newFile(
                  "file to write", on: request.user.loop,
                  update: { [unowned user = request.user] in user.updateQuestion() },
                  onAnswer: { then(Reception(kind: kind, file: $0)) }))
            }))
      })
  }
}

extension TransferProtocol {
  /// The names by which commands about transfers are found.
  static let words = allCases.filter { !$0.isPlain }.map(\.rawValue)

  /// The protocols as choices. The one that the device requests comes first.
  fileprivate static func choices(asked: Self?) -> [Choice<Self>] {
    let first = asked.map { [$0] } ?? []
    return (first + allCases.filter { $0 != asked }).map {
      $0.choice(detail: $0 == asked ? "the device asks for it" : $0.detail)
    }
  }

  fileprivate func choice(detail: String) -> Choice<Self> {
    Choice(id: self, title: title, synonyms: [rawValue], detail: detail)
  }
}
