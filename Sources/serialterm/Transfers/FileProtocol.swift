import Scripting
import SerialCore
import SessionKit
import SystemPackage
import TransferProtocols

/// How files are sent and received: the values of `--protocol`.
enum FileProtocol: String, CaseIterable, Sendable {
  case raw, ascii, xmodem
  case xmodem1K = "xmodem-1k"
  case ymodem
  case ymodemG = "ymodem-g"
  case zmodem

  /// The protocol; nil if the bytes are sent without one.
  var transferProtocol: TransferProtocol? { TransferProtocol(rawValue: rawValue) }

  /// The name, as its specification writes it.
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

  /// Whether the protocol sends the names of the files. Then there can be several.
  var hasNames: Bool { self != .xmodem && self != .xmodem1K }

  /// Whether the sender waits for the answer to each block.
  var awaitsAnswers: Bool { self == .xmodem || self == .xmodem1K || self == .ymodem }

  /// Whether it goes on after an interruption.
  var survivesInterruptions: Bool { self == .zmodem }
}

/// A protocol for receiving files: the values of `--protocol` of `receive`.
enum ReceivingProtocol: String, CaseIterable, Sendable {
  case xmodem, ymodem
  case ymodemG = "ymodem-g"
  case zmodem

  /// The same among all protocols.
  var fileProtocol: FileProtocol {
    switch self {
    case .xmodem: .xmodem
    case .ymodem: .ymodem
    case .ymodemG: .ymodemG
    case .zmodem: .zmodem
    }
  }
}

/// The files of a transfer, and how they are transferred.
struct TransferOrder {
  enum Files {
    /// These are sent; at least one.
    case send([FilePath])
    /// They are received into a folder.
    case receive(into: FilePath, IncomingFolder.Rules)
  }

  var fileProtocol: FileProtocol
  var files: Files
  /// What the line ends of a text become; for ``FileProtocol/ascii``.
  var lineEnd: [UInt8] = [0x0D]
  /// How long the other side may take to begin; nil for the usual time.
  var startPatience: Duration?

  /// The transfer of a script's step.
  init(_ step: FileStep) {
    let path = FilePath(String(decoding: step.path, as: UTF8.self))
    // The reader of scripts knows the same names.
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

  /// The longest time that is waited for the other side to begin, unless the user says otherwise.
  static let usualPatience = Duration.seconds(100)
}
