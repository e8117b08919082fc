import Framing
import ProgramCommands
import TextTools

/// The protocol of a program that drives sessions by JSON, see docs/json.md: which port a command
/// is for, what the one that runs waits for, and how each is answered.
///
/// ``ProgramLines`` decides which command is next. The actions of an event are performed in their
/// order; each may lead to further events.
struct JSONProtocol {
  /// The version of the protocol. New events and members do not change it.
  static let version = 1

  typealias Members = [(String, JSON)]

  enum Event {
    case step(ProgramLines<ProgramLine>.Step)
    /// The command that runs has written a message, which waits for the driver.
    case sends(byteCount: Int)
    /// The expected text has come. The value has the groups.
    case matched(JSON)
    /// The command with this number has ended. It counts if the command was not answered before.
    case ended(Int, Outcome)
    /// The command that runs was stopped as far as that is possible.
    case stopped(unsentCount: Int = 0)
    /// A port was closed. It may come back, unless that is final.
    case closed(port: Int, isFinal: Bool, isJoined: Bool)
  }

  enum Action {
    /// Write a line of the output.
    case write(String)
    /// Perform a command, and give ``Event/ended(_:_:)`` with the number.
    case perform(JSONCommand, port: Int, number: Int)
    /// Stop what the command that runs waits for, and give ``Event/stopped(unsentCount:)``.
    case stop(Wait, port: Int)
    /// Release what the command was waiting for: it is answered.
    case release
    /// Answer a `send` that was cancelled before it has begun: none of its bytes were sent.
    case drop(JSONCommand.Content, id: JSON, port: Int)
    /// End the program: all lines are answered.
    case finish
    case fail(Failure)
  }

  /// What a command waits for.
  enum Wait: Hashable {
    /// The bytes of a message.
    case send(byteCount: Int)
    case expect, transfer, release, log
    /// The outcome of a command of the session, such as a break.
    case outcome
    /// The same, while a `cancel` stops it.
    case stopping
  }

  /// How a command ends: the event that answers it, and its members besides the `id`.
  enum Outcome {
    case done(Members = [])
    case failed(String, Members = [])

    /// The failure of a command that the observed state does not allow.
    static func unavailable(_ reason: Reason) -> Outcome {
      .failed(reason.text, [("code", .string(reason.code))])
    }

    static func cancelled(unsentCount: Int? = nil) -> Outcome {
      .failed("cancelled", unsentCount.map { [("unsent", .integer($0))] } ?? [])
    }
  }

  /// The names of the ports; nil for an only port without one.
  var names: [String?] = []

  private var running: Running?
  private var count = 0

  /// The command that runs, until it is answered.
  private struct Running {
    let number: Int
    let id: JSON
    /// The port that the command is for; nil if it is for all of them.
    var port: Int?
    /// What it waits for; nil if `cancel` cannot stop it.
    var wait: Wait?
  }

  /// Whether a command runs.
  var isBusy: Bool { running != nil }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .step(.perform(let line)): return begin(line)
    case .step(.drop(let line)): return drop(line)
    case .step(.confirm(let line)): return [.write(answer(.done(), to: line.id))]
    case .step(.stop): return stop()
    case .step(.finish): return [.finish]
    case .sends(let count):
      running?.wait = .send(byteCount: count)
      return []
    case .matched(let groups): return end(.done([("match", groups)]))
    case .ended(let number, let outcome):
      guard let running, running.number == number else { return [] }
      return end(running.wait == .stopping ? .cancelled() : outcome)
    case .stopped(let count): return stopped(unsentCount: count)
    case .closed(let port, let isFinal, let isJoined):
      return closed(port, isFinal: isFinal, isJoined: isJoined)
    }
  }

  // MARK: Lines

  private mutating func begin(_ line: ProgramLine) -> [Action] {
    count += 1
    running = Running(number: count, id: line.id)
    do {
      let json = try line.content.get()
      let command = try JSONCommand(json)
      // It is for all ports.
      if case .close = command { return [.perform(command, port: 0, number: count)] }
      guard let port = port(named: json["port"]) else { throw mistakenPort }
      running?.port = port
      running?.wait = Wait(command)
      return [.perform(command, port: port, number: count)]
    } catch FrameDamage.tooLong {
      return [longLine]
    } catch {
      return end(.failed("\(error)"))
    }
  }

  /// Fails a command that was cancelled before it has begun.
  private func drop(_ line: ProgramLine) -> [Action] {
    do {
      let json = try line.content.get()
      let port = port(named: json["port"])
      if let port, json["command"]?.string == ProgramRequest.send.name,
        case .send(let content)? = try? JSONCommand(json)
      {
        return [.drop(content, id: line.id, port: port)]
      }
      return [.write(answer(.cancelled(), to: line.id, port: port))]
    } catch FrameDamage.tooLong {
      return [longLine]
    } catch {
      // What is not JSON fails because of that.
      return [.write(answer(.failed("\(error)"), to: line.id))]
    }
  }

  private var longLine: Action {
    let limit = ProgramLines<ProgramLine>.longestLine
    return .fail(Failure(.usage, "a command is longer than \(limit) bytes."))
  }

  /// The port that a command names. If there is only one, the command need not name it.
  private func port(named name: JSON?) -> Int? {
    if names.count == 1 && name == nil { return 0 }
    return names.firstIndex { $0 != nil && $0 == name?.string }
  }

  private var mistakenPort: JSONCommand.Mistake {
    let names = names.compactMap(\.self)
    return JSONCommand.Mistake(
      names.isEmpty
        ? "port: leave it out, there is only one"
        : "port: expected one of \(names.joined(separator: ", "))")
  }

  // MARK: The command that runs

  private mutating func stop() -> [Action] {
    guard let port = running?.port, let wait = running?.wait else { return [] }
    if wait == .outcome { running?.wait = .stopping }
    return [.stop(wait, port: port)]
  }

  private mutating func stopped(unsentCount: Int) -> [Action] {
    switch running?.wait {
    case .send(let byteCount): return end(.cancelled(unsentCount: min(unsentCount, byteCount)))
    case .expect, .release, .log: return end(.cancelled())
    // What has ended is answered meanwhile. What the far end of a network does goes on.
    case .stopping: running?.wait = .outcome
    // The transfer answers.
    case .transfer, .outcome, nil: break
    }
    return []
  }

  /// Fails a command that takes time, such as a break, when its port is closed. What is being sent
  /// waits for a device that may come back.
  private mutating func closed(_ port: Int, isFinal: Bool, isJoined: Bool) -> [Action] {
    guard let running, running.port == port else { return [] }
    let isOver =
      switch running.wait {
      case .outcome: true
      // The end of the session says how many bytes were not sent.
      case .send: isFinal
      // What comes of it comes over the link.
      case .log: isJoined
      case .expect, .transfer, .release, .stopping, nil: false
      }
    return isOver ? end(.failed("no device")) : []
  }

  private mutating func end(_ outcome: Outcome) -> [Action] {
    guard let ended = running else { return [] }
    running = nil
    return [.write(answer(outcome, to: ended.id, port: ended.port)), .release]
  }

  // MARK: The output

  /// The line that answers a command.
  func answer(_ outcome: Outcome, to id: JSON, port: Int? = nil) -> String {
    switch outcome {
    case .done(let members): line("done", [("id", id)] + members, port: port)
    case .failed(let reason, let members):
      line("failed", [("id", id), ("reason", .string(reason))] + members, port: port)
    }
  }

  /// The line of an event, of a port or of the program itself.
  func line(_ event: String, _ members: Members, port: Int? = nil) -> String {
    let name = port.flatMap { names[$0] }.map { [("port", JSON.string($0))] } ?? []
    return "\(JSON.object([("event", .string(event))] + name + members))\n"
  }
}

extension JSONProtocol.Wait {
  /// What a command waits for from its beginning.
  fileprivate init?(_ command: JSONCommand) {
    switch command {
    case .expect: self = .expect
    case .perform: self = .outcome
    case .transfer: self = .transfer
    case .release: self = .release
    case .readLog: self = .log
    // A message waits when its bytes were written. The others are answered at once.
    case .send, .watch, .plot, .takeBack, .startLog, .stopLog, .close: return nil
    }
  }
}
