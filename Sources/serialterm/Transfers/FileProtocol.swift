import Dialogues
import SerialCore
import Sessions
import SystemPackage
import TransferProtocols

/// The ways to send and receive files: the values of `--protocol`.
enum FileProtocol: String, CaseIterable, Sendable {
  case raw, ascii, xmodem
  case xmodem1K = "xmodem-1k"
  case ymodem
  case ymodemG = "ymodem-g"
  case zmodem

  /// The protocol; nil if the bytes are sent without one.
  var transferProtocol: TransferProtocol? { TransferProtocol(rawValue: rawValue) }

  /// The name in the form of its specification.
  var shownName: String {
    switch self {
    case .raw: "as it is"
    case .ascii: "as text"
    case .xmodem: "XMODEM"
    case .xmodem1K: "XMODEM-1K"
    case .ymodem: "YMODEM"
    case .ymodemG: "YMODEM-g"
    case .zmodem: "ZMODEM"
    }
  }

  /// Whether the protocol transmits the names of the files, and so can transfer several.
  var hasNames: Bool { self != .xmodem && self != .xmodem1K }

  /// Whether the sender waits for the answer to each block.
  var awaitsAnswers: Bool { self == .xmodem || self == .xmodem1K || self == .ymodem }

  /// Whether it can continue after an interruption.
  var survivesInterruptions: Bool { self == .zmodem }
}

/// A protocol for receiving files: the values of `--protocol` of `receive`.
enum ReceivingProtocol: String, CaseIterable, Sendable {
  case xmodem, ymodem
  case ymodemG = "ymodem-g"
  case zmodem

  /// The same protocol as a ``FileProtocol``.
  var fileProtocol: FileProtocol {
    switch self {
    case .xmodem: .xmodem
    case .ymodem: .ymodem
    case .ymodemG: .ymodemG
    case .zmodem: .zmodem
    }
  }
}

/// The files of a transfer, and the protocol.
struct TransferOrder {
  enum Files {
    /// Send these files; at least one.
    case send([FilePath])
    /// Receive files into a folder.
    case receive(into: FilePath, IncomingFolder.Rules)
  }

  var fileProtocol: FileProtocol
  var files: Files
  /// The replacement of line ends in a text, for ``FileProtocol/ascii``.
  var lineEnd: [UInt8] = [0x0D]
  /// The time that the other side may take to begin; nil for the usual time.
  var startPatience: Duration?

  /// The transfer of a script's step.
  init(_ step: FileStep) {
    let path = FilePath(String(decoding: step.path, as: UTF8.self))
    // The parser of scripts uses the same names.
    fileProtocol = FileProtocol(rawValue: step.protocolName) ?? .raw
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
    fileProtocol: FileProtocol, files: Files, lineEnd: [UInt8] = [0x0D],
    startPatience: Duration? = nil
  ) {
    self.fileProtocol = fileProtocol
    self.files = files
    self.lineEnd = lineEnd
    self.startPatience = startPatience
  }

  /// The default time that the other side may take to begin.
  static let usualPatience = Duration.seconds(100)
}
