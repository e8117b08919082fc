import SerialCore
import Sessions
import SystemPackage
import TextTools

extension PortUseReport {
  /// The consequence of sharing a port.
  static let loss = "What the device sends is split between the programs: each misses a part."
}

extension PortUseReport.Message {
  /// The fact without the path. `doctor` uses the same words.
  var fact: String {
    switch self {
    case .shared(let holder): "also open in \(holder.command.harmless) (pid \(holder.pid))"
    case .terminal(let holder):
      "the terminal of \(holder.command.harmless) (pid \(holder.pid))"
    case .opened: "also open in another program"
    case .ended: "no longer open in another program"
    }
  }

  /// The message as text.
  func text(at path: FilePath) -> String {
    switch self {
    case .terminal:
      "warning: \(path) is \(fact). What is typed there is split between it and this session."
    case .shared: "warning: \(path) is \(fact). \(PortUseReport.loss)"
    case .opened:
      "warning: another program has opened \(path) too. \(PortUseReport.loss) 'sudo serialterm "
        + "doctor \(path.string.shellWord)' names it."
    case .ended: "no other program uses \(path) any longer."
    }
  }
}
