import Sessions
import TextTools

/// A request of a program about the pen of a session: what a user says by ``Command/pen`` and
/// its dialog, and by ``Command/takePen``.
enum PenRequest: Hashable {
  case ask
  /// Gives the pen to another member.
  case give(to: Sharing.ID)
  /// Keeps the pen, and refuses all requests for it.
  case keep
  /// Gives the pen back.
  case giveBack
  /// Takes the pen without asking.
  case take

  /// The name of the command that gives the pen to a member.
  static let giveCommand = "give-pen"

  /// Parses a command; nil if it is not about the pen.
  ///
  /// - Throws: ``JSONCommand/Mistake`` for a wrong member.
  init?(_ json: JSON) throws(JSONCommand.Mistake) {
    switch json["command"]?.string {
    case "ask-pen": self = .ask
    case Self.giveCommand:
      guard let id = json["to"]?.integer.flatMap({ Sharing.ID(exactly: $0) }) else {
        throw JSONCommand.Mistake("to: expected the id of a member")
      }
      self = .give(to: id)
    case "keep-pen": self = .keep
    case "return-pen": self = .giveBack
    case Command.takePen.name: self = .take
    default: return nil
    }
  }

  /// Performs the request, if the palette's command is available, and answers the call.
  func perform(_ call: CommandCall) {
    switch self {
    case .take: Command.takePen.perform(call)
    case .ask:
      call.when(Command.pen.needs) {
        guard call.state.sharing.pen != .mine else {
          return call.answer(.unavailable(because: .hasPen))
        }
        call.askForPen()
      }
    case .give(let id):
      whenHolding(call) {
        guard call.state.sharing.others.contains(where: { $0.id == id }) else {
          return call.answer(.failed("to: no other member has the id \(id)"))
        }
        $0.give(to: id)
        call.answer(.done)
      }
    case .keep:
      whenHolding(call) {
        $0.keep()
        call.answer(.done)
      }
    case .giveBack:
      whenHolding(call) {
        $0.returnPen()
        call.answer(.done)
      }
    }
  }

  /// Performs what only the member with the pen can do.
  private func whenHolding(_ call: CommandCall, _ perform: (any PenControl) -> Void) {
    call.when(Command.pen.needs + [.pen]) { perform(call.port.penControl) }
  }
}
