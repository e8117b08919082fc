import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// A problem that prevents the use of a port, or may interfere with it.
struct Finding: Hashable {
  let code: Code
  /// The affected port; nil if the finding is about the computer.
  let port: FilePath?
  /// The problem, in the same words as `connect` uses.
  let what: String
  /// The reason, in one or two sentences.
  let why: String
  /// The commands that fix it.
  let fixes: [String]

  /// The kind of finding. Scripts rely on the names. The manual has a section for each.
  enum Code: String, CaseIterable {
    case noDevice = "no-device"
    case noSuchDevice = "no-such-device"
    case noNode = "no-node"
    case notASerialPort = "not-a-serial-port"
    case noHardware = "no-hardware"
    case permissionDenied = "permission-denied"
    case loginNeeded = "login-needed"
    case held = "held"
    case shared = "shared"
    case getty = "getty"
    case kernelConsole = "kernel-console"
    case driverMissing = "driver-missing"
    case takenByProgram = "taken-by-a-program"
    case brltty = "brltty"
    case modemManager = "modemmanager"
    case autosuspend = "autosuspend"
    case staleLock = "stale-lock"
    case unusableLock = "unusable-lock"
    case noUdevd = "no-udevd"
    case ambiguous = "ambiguous"
    case configuration = "configuration"
    case unreachable = "unreachable"
    case otherProtocol = "other-protocol"
    case heldByServer = "held-by-a-server"
  }

  /// The command that shows the section of the manual about the finding.
  var documentation: String { "man 7 serialterm-troubleshooting   # \(code.title)" }
}

extension Finding {
  /// The configuration file cannot be read, so that every session fails.
  init(configuration failure: Failure) {
    self.init(
      code: .configuration, port: nil, what: failure.message,
      why: "Every command that reads the configuration fails until this is corrected.",
      fixes: ["# edit the file, or choose another one with --config"])
  }
}

extension Finding.Code {
  /// The title of its section in the manual.
  fileprivate var title: String {
    if self == .modemManager { return "ModemManager" }
    let words = rawValue.split(separator: "-").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

extension Finding.Code {
  /// Whether it prevents the use of the port. Otherwise it may only interfere with it.
  var isBlocking: Bool {
    switch self {
    case .noDevice, .noSuchDevice, .noNode, .notASerialPort, .noHardware, .permissionDenied,
      .loginNeeded, .held, .driverMissing, .takenByProgram, .unusableLock, .ambiguous,
      .configuration, .unreachable, .otherProtocol, .heldByServer:
      true
    case .shared, .getty, .kernelConsole, .brltty, .modemManager, .autosuspend, .staleLock,
      .noUdevd:
      false
    }
  }
}

extension Finding {
  /// The finding as JSON, for scripts.
  var json: JSON {
    .object([
      ("code", .string(code.rawValue)),
      ("port", JSON(port?.string)),
      ("blocking", .bool(code.isBlocking)),
      ("what", .string(what)),
      ("why", .string(why)),
      ("mend", .array(fixes.map(JSON.string))),
      ("documentation", .string(documentation)),
    ])
  }

  /// The finding as lines for people.
  ///
  /// - Parameter width: the columns of the terminal; nil for no limit. Commands are not wrapped, so
  ///   that users can copy them.
  func lines(style: TextStyle, width: Int? = nil) -> [String] {
    let subject = port.map { "\($0.string): " } ?? ""
    let title = Self.wrap((subject + what).harmless, to: width)
    let fixes = fixes.flatMap { Self.commandLines($0.harmless, width: width) }
    let labels = ["fix:"] + fixes.dropFirst().map { _ in "    " }
    return title.map { style.warning($0, isBlocking: code.isBlocking) }
      + Self.wrap("  \(why.harmless)", to: width)
      + zip(labels, fixes).map { "  \(style.dimmed($0))   \($1)" }
      + ["  \(style.dimmed("more:"))  \(style.dimmed(documentation))"]
  }

  private static func wrap(_ text: String, to width: Int?) -> [String] {
    guard let width else { return [text] }
    return StyledLine(text).wrapped(toWidth: width, indentation: 2).map(\.text)
  }

  /// A command with its comment. The comment gets its own line if the two are too long for one.
  private static func commandLines(_ text: String, width: Int?) -> [String] {
    let labelWidth = "  fix:   ".count
    guard let width, labelWidth + text.displayWidth > width,
      let comment = text.firstRange(ofText: "   # ")
    else { return [text] }
    return [
      String(text[..<comment.lowerBound]), "# \(text[comment.upperBound...])",
    ]
  }
}

extension TextStyle {
  /// A problem in colour: red if it prevents the use of a port, yellow if it may only interfere.
  func warning(_ text: String, isBlocking: Bool) -> String {
    isColoured ? "\u{1B}[1;\(isBlocking ? 31 : 33)m\(text)\u{1B}[0m" : text
  }
}
