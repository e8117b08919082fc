import SystemPackage

/// Something that keeps a port from being used, or may disturb its use.
struct Finding: Hashable {
  let code: Code
  /// The port that it is about; nil for what concerns the machine.
  let port: FilePath?
  /// What is the matter, in a few words.
  let what: String
  /// Why that is so, in a sentence or two.
  let why: String
  /// The commands that mend it, as they are to be typed.
  let mend: [String]

  /// Which finding it is. Scripts rely on the names, and the documentation has a section for each
  /// that is called by it.
  enum Code: String, CaseIterable {
    case noDevice = "no-device"
    case noSuchDevice = "no-such-device"
    case noNode = "no-node"
    case notASerialPort = "not-a-serial-port"
    case noHardware = "no-hardware"
    case permissionDenied = "permission-denied"
    case loginNeeded = "login-needed"
    case held = "held"
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
  }

  /// Where the documentation tells more.
  var documentation: String { "docs/troubleshooting.md#\(code.rawValue)" }
}

extension Finding.Code {
  /// Whether the port cannot be used while it is so; otherwise it can, and may be disturbed.
  var isBlocking: Bool {
    switch self {
    case .noDevice, .noSuchDevice, .noNode, .notASerialPort, .noHardware, .permissionDenied,
      .loginNeeded, .held, .driverMissing, .takenByProgram, .unusableLock:
      true
    case .getty, .kernelConsole, .brltty, .modemManager, .autosuspend, .staleLock, .noUdevd: false
    }
  }
}

extension Finding {
  /// The finding as scripts read it.
  var json: JSON {
    .object([
      ("code", .string(code.rawValue)),
      ("port", JSON(port?.string)),
      ("blocking", .bool(code.isBlocking)),
      ("what", .string(what)),
      ("why", .string(why)),
      ("mend", .array(mend.map(JSON.string))),
      ("documentation", .string(documentation)),
    ])
  }

  /// The finding as people read it, without line ends.
  func lines(style: TextStyle) -> [String] {
    let subject = port.map { "\($0.string): " } ?? ""
    let labels = ["mend:"] + mend.dropFirst().map { _ in "     " }
    let title = style.warning((subject + what).harmless, isBlocking: code.isBlocking)
    return [title, "  \(why.harmless)"]
      + zip(labels, mend).map { "  \(style.dimmed($0))  \($1.harmless)" }
      + ["  \(style.dimmed("more:"))  \(style.dimmed(documentation))"]
  }
}

extension TextStyle {
  /// What is wrong: red when it keeps somebody from working, yellow when it may disturb.
  func warning(_ text: String, isBlocking: Bool) -> String {
    isColoured ? "\u{1B}[1;\(isBlocking ? 31 : 33)m\(text)\u{1B}[0m" : text
  }
}
