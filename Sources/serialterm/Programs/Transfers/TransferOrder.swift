import Dialogues
import Sessions
import SystemPackage
import TransferProtocols

/// The files of a transfer, and the protocol.
struct TransferOrder {
  enum Files {
    /// Send these files; at least one.
    case send([FilePath])
    /// Receive files into a folder.
    case receive(into: FilePath, IncomingFolder.Rules)
  }

  var fileProtocol: TransferProtocol
  var files: Files
  /// The name of the only file that is sent, for the device and for people; nil for the last part
  /// of its path.
  var sentName: String?
  /// The replacement of line ends in a text, for ``TransferProtocols/TransferProtocol/ascii``.
  var lineEnd: [UInt8] = [UInt8(ascii: "\r")]
  /// The time that the other side may take to begin.
  var startPatience = TransferConditions.standardStartPatience

  /// The transfer of a script's step.
  init(_ step: FileStep) {
    let path = FilePath(String(decoding: step.path, as: UTF8.self))
    fileProtocol = step.fileProtocol
    var rules = IncomingFolder.Rules()
    switch step.direction {
    case .send: files = .send([path])
    case .receiveInto: files = .receive(into: path, rules)
    case .receiveFile:
      rules.name = path.lastComponent?.string
      let folder = path.removingLastComponent()
      files = .receive(into: folder.isEmpty ? "." : folder, rules)
    }
  }

  init(
    fileProtocol: TransferProtocol, files: Files, lineEnd: [UInt8] = [UInt8(ascii: "\r")],
    startPatience: Duration = TransferConditions.standardStartPatience
  ) {
    self.fileProtocol = fileProtocol
    self.files = files
    self.lineEnd = lineEnd
    self.startPatience = startPatience
  }
}
