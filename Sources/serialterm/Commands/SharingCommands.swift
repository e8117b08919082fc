import NetworkLinks
import Options
import Sessions
import SystemPackage
import Telnet
import Terminal
import TerminalWidgets
import TextTools

/// The commands for the other members of a session.
extension Command {
  /// The conditions of all commands about the pen.
  static let penNeeds: [Need] = [.others, .movablePen]

  static let pen = Command(
    "w", "pen", "ask for or give the pen",
    or: ["hand over", "give the pen", "ask for the pen", "let write", "take turns"],
    needs: penNeeds, value: { $0.sharing.holderInWords }
  ) { call in
    let sharing = call.state.sharing
    guard sharing.pen == .mine else { return call.askForPen() }
    guard let user = call.user else {
      return call.answer(.failed("name who gets it: \(ProgramRequest.givePen.name)"))
    }
    if sharing.others.isEmpty {
      call.answer(.done("You have the pen; nobody else is here."))
    } else {
      user.ask(.toWhom(at: call))
    }
  }

  static let takePen = Command(
    nil, "take-pen", "take it without asking", or: ["force", "steal", "grab", "operator"],
    users: .exceptAgents, needs: penNeeds + [.takingPen], value: { $0.sharing.holderInWords }
  ) { call in
    call.port.penControl.takePen()
    call.answer(.done)
  }

  static let who = Command(
    nil, "who", "list who is here",
    or: ["people", "viewers", "clients", "users", "watching", "members"], users: .exceptAgents,
    value: { $0.sharing.others.isEmpty ? nil : "\($0.sharing.others.count.counted("other"))" }
  ) { call in
    call.answer(.done(lines: call.state.sharing.lines))
  }

  static let name = CommandWithArgument(
    nil, "name", "change your name", or: ["rename", "nick", "alias"],
    users: .exceptAgents, needs: [.others, .renaming],
    value: { $0.sharing.ownName }, argument: .memberName
  ) { name, call in
    call.port.controller.userSharing.rename(name)
    // The session says the new name: it may have a number.
    call.answer(.done)
  }

  static let share = CommandWithArgument(
    nil, "share", "let others connect",
    or: [
      "serve", "listen", "network", "tcp", "rfc2217", "telnet", "server", "socket", "web",
      "browser", "page", "http",
    ],
    needs: [.ownSession],
    value: {
      let places = $0.sharing.addresses + [$0.pageLink?.text].compactMap(\.self)
      return places.isEmpty ? nil : places.joined(separator: " ").harmless
    },
    argument: .sharedPlace("[HOST:]PORT or path of a socket; PORT,web for browsers")
  ) { place, call in
    do throws(Failure) {
      switch place {
      case .clients(let listenAddress):
        try call.port.listen(at: listenAddress)
        call.port.announcePlaces()
        let clientProtocol = call.port.server.rules.clientProtocol
        call.answer(
          listenAddress.clientProtocol == nil
            ? .done(
              "Clients speak \(clientProtocol.rawValue). For bytes alone: \(listenAddress.name),raw."
            )
            : .done)
      case .browsers(let place):
        call.port.openPage(at: place) {
          switch $0 {
          case .success:
            call.port.announcePlaces()
            call.answer(.done)
          case .failure(let failure): call.answer(.failed(failure.message))
          }
        }
      }
    } catch {
      call.answer(.failed(error.message))
    }
  }

  static let shareLog = Command(
    nil, "log-share", "let others read the log",
    or: ["publish log", "download log", "members", "page"], needs: [.ownSession],
    value: { $0.sharesLog.onOff }
  ) { call in
    call.port.model.update { $0.sharesLog.toggle() }
    call.answer(
      .done(
        call.state.sharesLog
          ? "log-share is on: those who join the session can read its log."
          : "log-share is off: nobody else reads the log."))
  }

  static let stopSharing = Command(
    nil, "stop-sharing", "let no more connect",
    or: ["unshare", "stop listening", "private"],
    needs: [.ownSession, .listening]
  ) { call in
    call.port.server.stopListening()
    call.port.page.close()
    call.answer(.done("Nobody else can connect. Those who are here stay."))
  }
}

extension CommandCall {
  /// Asks the member who has the pen for it, or takes the free pen.
  func askForPen() {
    let sharing = state.sharing
    if case .others(let person) = sharing.pen {
      guard person.answers else {
        let advice =
          sharing.mayTake ? "'take-pen' in the palette takes it." : "Wait until it has gone."
        return answer(.failed("\(person.name) is a program and cannot be asked. \(advice)"))
      }
      port.penControl.ask()
      answer(.done("\(person.name) is asked for the pen."))
    } else {
      port.penControl.ask()
      answer(.done)
    }
  }
}

extension Question {
  /// Asks the user who gets the pen. Members who have asked for it come first.
  fileprivate static func toWhom(at call: CommandCall) -> Question where Answer == Sharing.ID? {
    Question(
      title: "the pen",
      choices: { [model = call.port.model] _ in
        let sharing = model.state.sharing
        let asking = sharing.applicants.map {
          Choice<Sharing.ID?>(
            id: $0.person.id, title: "give it to \($0.person.name)",
            detail: $0.text.map { "asks to send \($0)" } ?? "asks for it")
        }
        let others = sharing.others.filter { !sharing.isAsked(by: $0) }.map {
          Choice<Sharing.ID?>(
            id: $0.id, title: "give it to \($0.name)", detail: $0.answers ? "" : "a program")
        }
        let release = Choice<Sharing.ID?>(
          id: SharingMessage.nobody, title: "let go of it", detail: "who asks next has it")
        return asking + [Choice(id: nil, title: "keep it")] + others
          + (sharing.isJoined ? [release] : [])
      },
      onAnswer: { id in
        switch id {
        case nil: call.port.penControl.keep()
        case SharingMessage.nobody?: call.port.penControl.returnPen()
        case let id?: call.port.penControl.give(to: id)
        }
        call.answer(.done)
      })
  }
}

/// Where others connect.
enum SharedPlace {
  case clients(PortServer.ListenAddress)
  case browsers(BrowserPage.Place)

  /// What stands behind an address for browsers.
  static let suffix = ",web"

  /// Parses a place; nil for any other text.
  init?(naming text: String) {
    if text.hasSuffix(Self.suffix),
      let place = try? BrowserPage.Place(parsing: String(text.dropLast(Self.suffix.count)))
    {
      self = .browsers(place)
    } else if let address = PortServer.ListenAddress(naming: text) {
      self = .clients(address)
    } else {
      return nil
    }
  }
}

extension ArgumentKind where Value == String {
  /// What a member calls itself. The session cleans it.
  fileprivate static var memberName: Self {
    .text("your name", expected: "a name", now: { $0.sharing.ownName }) { $0 }
  }
}

extension ArgumentKind where Value == SharedPlace {
  /// A place where clients or browsers connect.
  fileprivate static func sharedPlace(_ title: String) -> Self {
    ArgumentKind(
      ArgumentForm("[HOST:]PORT, a path, or [HOST:]PORT,web"), parse: { SharedPlace(naming: $0) },
      ask: { request, then in
        request.ask(
          Question(
            title: title, choices: { choices(typed: $0) }, answer: { $0 },
            onAnswer: { text in
              if let place = SharedPlace(naming: text) { then(place) }
            }))
      })
  }

  /// The place that was typed, and the same for browsers if it is a port.
  private static func choices(typed: String) -> [Choice<String>] {
    let own = Choice(
      id: typed, title: typed.isEmpty ? "nowhere" : typed, isCurrent: typed.isEmpty,
      refusal: typed.isEmpty || SharedPlace(naming: typed) != nil
        ? nil : "a port is 1 to 65535, a path has a slash")
    let others = [
      (",raw", "bytes alone"), (",telnet", "for a telnet client"),
      (SharedPlace.suffix, "a page for browsers"),
    ]
    return [own]
      + others.map { (typed + $0, $1) }.filter { SharedPlace(naming: $0.0) != nil }
      .map { Choice(id: $0, title: $0, detail: $1) }
  }
}

extension Sharing {
  /// The holder of the pen, as text.
  var holderInWords: String {
    switch pen {
    case .mine: "you have it"
    case .others(let person): "\(person.name) has it"
    case .free: "nobody has it"
    case .everyone: "everyone writes"
    case .nobody: "nobody writes"
    }
  }

  /// The members, one line each.
  var lines: [String] {
    var lines = ["you" + (pen == .mine ? ", with the pen" : isAsking ? ", asking for the pen" : "")]
    for person in others {
      var line = person.name
      if case .others(person) = pen { line += ", with the pen" }
      if isAsked(by: person) { line += ", asks for the pen" }
      if !person.answers { line += " (a program)" }
      lines.append(line)
    }
    if case .free = pen { lines.append("Nobody has the pen.") }
    return lines
  }
}
