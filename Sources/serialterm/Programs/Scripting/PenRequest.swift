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

  /// Parses a command; nil if it is not about the pen.
  ///
  /// - Throws: ``JSONCommand/Mistake`` for a wrong member.
  init?(_ json: JSON) throws(JSONCommand.Mistake) {
    switch json["command"]?.string {
    case ProgramRequest.askForPen.name: self = .ask
    case ProgramRequest.givePen.name:
      guard let id = json["to"]?.wholeNumber.flatMap({ Sharing.ID(exactly: $0) }) else {
        throw JSONCommand.Mistake("to: expected the id of a member")
      }
      self = .give(to: id)
    case ProgramRequest.keepPen.name: self = .keep
    case ProgramRequest.returnPen.name: self = .giveBack
    case Command.takePen.name: self = .take
    default: return nil
    }
  }

  /// The record of the request; nil for ``Command/takePen``, which people give, too.
  private var record: ProgramRequest? {
    switch self {
    case .ask: .askForPen
    case .give: .givePen
    case .keep: .keepPen
    case .giveBack: .returnPen
    case .take: nil
    }
  }

  /// Performs the request if its conditions are met, and answers the call.
  func perform(_ call: CommandCall) {
    guard let record else { return Command.takePen.perform(call) }
    call.when(record.needs) { perform(call, by: call.port.penControl) }
  }

  private func perform(_ call: CommandCall, by control: any PenControl) {
    switch self {
    case .take: control.takePen()
    case .ask: return call.askForPen()
    case .give(let id):
      guard call.state.sharing.others.contains(where: { $0.id == id }) else {
        return call.answer(.failed("to: no other member has the id \(id)"))
      }
      control.give(to: id)
    case .keep: control.keep()
    case .giveBack: control.returnPen()
    }
    call.answer(.done)
  }
}
