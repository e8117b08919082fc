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
    or: ["upload", "transmit", "transfer", "paste file", "xmodem", "ymodem", "zmodem", "sz"],
    needs: [.interactive] + Need.toSend, value: { $0.offer?.askedProtocol?.shownName },
    argument: .outgoingFile
  ) { file, call in
    call.start(TransferOrder(fileProtocol: file.fileProtocol, files: .send([file.path])))
  }

  static let receiveFiles = CommandWithArgument(
    "X", "receive-files", "receive files",
    or: ["download", "transfer", "xmodem", "ymodem", "zmodem", "rz", "save file"],
    needs: [.interactive] + Need.toSend,
    value: { $0.offer == .zmodemSender ? "offered by ZMODEM" : nil },
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
      TransferOrder(
        fileProtocol: reception.kind.fileProtocol, files: .receive(into: folder, rules)))
  }
}

/// A file to send, and the protocol for it.
struct OutgoingFile: Hashable, Sendable {
  let path: FilePath
  let fileProtocol: FileProtocol
}

/// The parameters of receiving files.
struct Reception: Hashable, Sendable {
  let kind: ReceivingProtocol
  /// The path of the file; only for XMODEM, which sends no name.
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
      expected: "the path of a file",
      parse: {
        $0.isEmpty ? nil : OutgoingFile(path: FileChoices.path(of: $0), fileProtocol: .raw)
      },
      ask: { request, then in
        request.ask(
          .file("file to send", for: request.user) { path in
            // An unreadable file is reported immediately.
            guard (try? FileSource(opening: path)) != nil else {
              return then(OutgoingFile(path: path, fileProtocol: .raw))
            }
            request.ask(
              Question(
                title: "how to send \((path.lastComponent?.string ?? path.string).harmless)",
                choices: { [model = request.model] _ in
                  FileProtocol.choices(asked: model.state.offer?.askedProtocol)
                },
                onAnswer: { then(OutgoingFile(path: path, fileProtocol: $0)) }))
          })
      })
  }
}

extension ArgumentKind where Value == Reception {
  /// Asks for the protocol, and for XMODEM the file. It skips the questions that the device's offer answers.
  static var reception: Self {
    ArgumentKind(
      expected: "one of ymodem, ymodem-g, zmodem",
      parse: { text in
        ReceivingProtocol(rawValue: text).flatMap { $0 == .xmodem ? nil : Reception(kind: $0) }
      },
      ask: { request, then in
        if request.model.state.offer == .zmodemSender { return then(Reception(kind: .zmodem)) }
        request.ask(
          Question(
            title: "how to receive",
            choices: { _ in
              ReceivingProtocol.allCases.reversed().map { kind in
                Choice(
                  id: kind, title: kind.fileProtocol.shownName, synonyms: [kind.rawValue],
                  detail: kind.fileProtocol.detail)
              }
            },
            onAnswer: { kind in
              guard kind == .xmodem else { return then(Reception(kind: kind)) }
              request.ask(
                .newFile(
                  "file to write", on: request.user.loop,
                  update: { [unowned user = request.user] in user.updateQuestion() },
                  onAnswer: { then(Reception(kind: kind, file: $0)) }))
            }))
      })
  }
}

extension FileProtocol {
  /// The protocols as choices. The one that the device requests comes first.
  fileprivate static func choices(asked: FileProtocol?) -> [Choice<FileProtocol>] {
    let first = asked.map { [$0] } ?? []
    return (first + allCases.filter { $0 != asked }).map { kind in
      Choice(
        id: kind, title: kind.shownName, synonyms: [kind.rawValue],
        detail: kind == asked ? "the device asks for it" : kind.detail)
    }
  }

  /// A description that helps the user to choose.
  fileprivate var detail: String {
    switch self {
    case .raw: "no protocol"
    case .ascii: "line ends as Enter sends them"
    case .xmodem: "blocks of 128 bytes; no name"
    case .xmodem1K: "blocks of 1,024 bytes; no name"
    case .ymodem: "names and sizes; loady, rb"
    case .ymodemG: "for lines that lose nothing"
    case .zmodem: "fast, continues; rz"
    }
  }
}

extension DeviceOffer {
  /// The protocol of the file that the device requests; nil if it requests none.
  var askedProtocol: FileProtocol? {
    switch self {
    case .zmodemSender: nil
    case .zmodemReceiver: .zmodem
    case .blockReceiver: .ymodem
    case .streamReceiver: .ymodemG
    case .checksumReceiver: .xmodem
    }
  }

  /// The offer as text.
  var words: String {
    switch self {
    case .zmodemSender: "the device offers files by ZMODEM"
    case .zmodemReceiver: "the device asks for files by ZMODEM"
    case .blockReceiver: "the device asks for a file by XMODEM or YMODEM"
    case .streamReceiver: "the device asks for files by YMODEM-g"
    case .checksumReceiver: "the device asks for a file by XMODEM"
    }
  }
}
