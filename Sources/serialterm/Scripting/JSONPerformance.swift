import EventLoop
import Observing
import Reconnecting
import SerialCore
import Sessions
import TextTools

/// A command of a program that is being performed, until it is answered.
final class JSONPerformance {
  let id: JSON
  /// The port that the command is for; nil if it is for all of them.
  var port: JSONPort?
  /// What it waits for; nil if `cancel` cannot stop it.
  var wait: Wait?

  enum Wait {
    /// The bytes of a message.
    case send(Drain, byteCount: Int)
    /// The text, until the time is over.
    case expect(LoopTimer)
    case transfer
    /// A piece of the log, until the time is over.
    case log(LoopTimer)
    case release(ObservationToken<SessionEvent>)
    /// The outcome of a command of the session, such as a break.
    case outcome
    /// The same, after a `cancel`.
    case cancelledOutcome
  }

  init(_ id: JSON) { self.id = id }

  /// Stops the command, if it can be stopped.
  ///
  /// - Returns: the other members of the failure; nil if the answer comes by itself.
  func stop() -> [(String, JSON)]? {
    guard let port, let wait else { return nil }
    switch wait {
    case .expect: port.text.patterns = []
    case .send(_, let byteCount):
      let session = port.port.session
      // A text that is repeated goes with it.
      let count = session.discardUnsent(by: .program)
      session.pacer?.sessionDidGiveUp(session)
      return Self.unsent(min(count, byteCount))
    case .transfer:
      port.port.controller.exchange?.stop()
      return nil
    case .release: port.takeBack()
    case .outcome:
      // What has ended is answered meanwhile. What the far end of a network does goes on.
      self.wait = .cancelledOutcome
      port.port.lineCommands.end()
      port.port.sequences.stop()
      self.wait = .outcome
      return nil
    case .cancelledOutcome: return nil
    // Its answer is not used.
    case .log: break
    }
    return []
  }

  /// The members of the failure of a command that has not begun.
  static func members(dropping command: JSON, at port: JSONPort?) -> [(String, JSON)] {
    guard let port, command["command"]?.string == "send",
      case .send(let content)? = try? JSONCommand(command)
    else { return [] }
    return switch content {
    case .bytes(let bytes): unsent(bytes.count)
    case .text(let text): (try? port.bytes(of: text)).map { unsent($0.count) } ?? []
    }
  }

  private static func unsent(_ count: Int) -> [(String, JSON)] { [("unsent", .integer(count))] }
}
