import DeviceWatch
import Observing
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TextTools
import Time

/// Reports the events of a session to the user: the device is opened, lost and found again, the
/// driver changed a setting, the session has news.
final class SessionNarrator {
  private let console: Console
  private unowned let controller: SessionController
  /// The keys of the user; nil if the user has no keyboard here.
  private let keys: CommandKeys?
  /// Whether the first line names the keys: those of another port need not.
  private let namesKeys: Bool
  /// How a user without keys ends the program, as a sentence; nil if nobody needs it.
  var ending: String?
  /// How the user reopens a released port, as text; nil if the user cannot.
  var reopenKeys: String?
  /// The port's name in messages that do not name a port themselves; nil while it is the only one.
  var name: String?
  private var goneAt: MonotonicTime?
  private var hasBeenOpen = false
  /// Whether the first line was printed. It includes everything that happened before.
  private var hasGreeted = false
  private var news: [AnyObject] = []
  private var stateChanges: ObservationToken<SessionEvent>?

  /// Reports the news of a session from now on. It reports the session's events when it
  /// observes the session.
  ///
  /// - Parameters:
  ///   - keys: the keys of the user; nil if the user has no keyboard here.
  ///   - namesKeys: whether the first line names the keys. That of one port is enough.
  init(
    of controller: SessionController, on console: Console, keys: CommandKeys?, namesKeys: Bool
  ) {
    (self.controller, self.console) = (controller, console)
    (self.keys, self.namesKeys) = (keys, namesKeys)
    news = [
      controller.news.observe { [unowned self] in reportNews($0) },
      controller.sharing.events.observe { [unowned self] in reportRosterEvent($0) },
      controller.userSharing.remoteNews.observe { [unowned self] in reportRemoteNews($0) },
    ]
  }

  /// The word as the first one of a message, which may stand behind the name of the port. Names of
  /// members never change: a member may be called "nobody".
  private var nobody: String { name == nil ? "Nobody" : "nobody" }

  /// A message with the name of the port, if it needs one.
  func named(_ message: String) -> String { name.map { "\($0): \(message)" } ?? message }

  /// Prints the first line of a session: its port and settings, or the device that it waits for.
  func greet(_ session: Session) {
    hasGreeted = true
    switch session.state {
    case .open(let port, let settings) where !hasBeenOpen:
      hasBeenOpen = true
      warnOfDifferences(in: session)
      // Between pipes nothing is printed if everything is as expected.
      if keys != nil { sayOpened(port, settings, in: session) }
    case .waitingForDevice(_, .failed(let error)) where error.code == .busy:
      // The program that has the port was named when opening it failed.
      if !keyWords.isEmpty { console.say(keyWords) }
    case .waitingForDevice(let port, _):
      let advice = UnitInstance.advice(for: port).map { " \($0)" } ?? ""
      sayWithKeys("waiting for \(port.inWords).\(advice)")
    // The message after joining is enough.
    case .opening(let port, after: nil) where port.kind == .session: break
    case .opening(let port, after: nil):
      // A user who waits may want to know how to quit.
      if keys != nil { sayWithKeys("connecting to \(port).") }
    case .open, .closed, .opening, .released: break
    }
  }

  private func sayOpened(_ port: Endpoint, _ settings: LineSettings, in session: Session) {
    let text = opened(port, settings, in: session) ?? "connected to \(port)."
    sayWithKeys(port.kind == .session ? "joined \(text)" : text)
  }

  /// The port and its settings in words; nil if it has none.
  private func opened(
    _ port: Endpoint, _ settings: LineSettings, in session: Session
  ) -> String? {
    session.capabilities.contains(.settings) ? "\(port) at \(settings)." : nil
  }

  private func sayWithKeys(_ text: String) {
    console.say(keyWords.isEmpty ? text : "\(text) \(keyWords)")
  }

  /// The keys for quitting and for help, as text; empty if there are none, or if another port
  /// has named them.
  private var keyWords: String { namesKeys ? keys?.quitAndHelp ?? ending ?? "" : "" }

  /// Reports the openings and losses of a session's port from now on.
  func followSession(_ session: Session) {
    stateChanges = session.observe(.stateChange, rank: .narrator) {
      [unowned self, unowned session] in
      stateDidChange(of: session, from: $0.old, to: $0.new)
    }
  }

  private func stateDidChange(
    of session: Session, from old: SessionState, to new: SessionState
  ) {
    switch (old, new) {
    case (.open, .waitingForDevice(let port, _)) where port.kind == .tapTerminal:
      goneAt = .now
      console.say("the program has closed \(port).")
    case (.opening(_, after: .some), .open(let port, let settings)) where port.kind == .tapTerminal:
      console.say("a program has opened \(port): \(settings).")
    case (.open, .waitingForDevice(let port, let reason)):
      goneAt = .now
      console.say("\(port) is gone\(reason.inWords), waiting for it to come back.")
    case (.open, .released(let port)), (.waitingForDevice(let port, _), .released):
      goneAt = .now
      // Other programs need the path.
      let path = port.path.map(\.string) ?? port.inWords
      console.say(
        controller.lender.borrowerNames.map { "\(path) is lent to \($0)." }
          ?? "\(path) is released for other programs.\(reopenKeys.map { " \($0) takes it back." } ?? "")"
      )
    case (.released, .waitingForDevice(let port, _)):
      console.say("reopening \(port.inWords).")
    case (.opening(_, after: .released), .waitingForDevice(_, .failed(let error))):
      console.say("\(Failure(error).message) Trying again.")
    case (.opening(_, after: .some), .open(let port, let settings)):
      if hasBeenOpen {
        console.say("\(port) is back\(absence()).")
      } else {
        hasBeenOpen = true
        sayOpened(port, settings, in: session)
      }
      warnOfDifferences(in: session)
    case (.opening(_, after: nil), .open(let port, let settings)) where hasGreeted:
      // The link opened late. The keys were printed when it began to open.
      hasBeenOpen = true
      if port.kind == .session {
        sayOpened(port, settings, in: session)
        return
      }
      if keys != nil { console.say(opened(port, settings, in: session) ?? "connected.") }
      warnOfDifferences(in: session)
    case (.closed, .waitingForDevice(let port, _)) where hasGreeted && !hasBeenOpen:
      console.say("waiting for \(port.inWords).")
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _), (.released, _):
      break
    }
  }

  // MARK: News

  /// Prints the news as a sentence. Losses of data are printed even with `--quiet`.
  private func reportNews(_ news: SessionNews) {
    switch news {
    case .kernelConsole(let path):
      console.say(
        "warning: \(path) is a console of the kernel. Its messages come between the device's bytes, "
          + "and what you send may reach a login prompt.")
    case .server(let endpoint, let other):
      if let advice = endpoint.advice(toSpeak: other) { console.warn(named(advice)) }
    case .settings(let settings, let name):
      say(name.map { "\($0) set \(settings)." } ?? "the line is now \(settings).")
    case .portUse(.ended, let path): console.say(PortUseReport.Message.ended.text(at: path))
    case .portUse(let message, let path): console.say(message.text(at: path))
    case .openingSequenceFailed(let error): console.warn(Failure(error).message)
    case .networkTiming(let name):
      let sequence = name == OpeningSequence.name ? "--\(name)" : "'\(name)'"
      console.say(
        named("the timing of \(sequence) is the network's: the server plays it step by step."))
    case .held(let error): console.say(error.heldForNow)
    // A node without its device is usual in a container, and needs no advice.
    case .refused(let error) where error.code == .noHardware:
      console.say("waiting for \(error.endpoint): \(error.waitReason ?? "").")
    case .refused(let error): console.say(Failure(error).message)
    case .lookAlikes(let devices): console.answer(devices.notTaken)
    case .claim(let isWanted, let borrowers):
      console.say(
        "the port \(isWanted ? "stays released" : "is reopened") when \(borrowers) finishes.")
    case .borrowerFinished(let name):
      console.say("\(name) has finished; the port stays released.")
    case .releaseRefused(let reason):
      console.say(Refusal.sentence(because: reason))
    case .unsent(let count): console.warn(named("\(count.bytesWere) not sent."))
    case .fileUnsent(let file, let end): console.warn(named(file.words(for: end)))
    // A view shows the mark at its position in the text.
    case .mark: break
    case .log(let path, let news): console.warn(news.words(at: path))
    case .notLogged(let path, let count):
      console.warn("\(path): \(count.counted("byte")) not logged.")
    case .notWritten(let path, let count):
      console.warn("\(path): the disk accepts no data; \(count.bytesWere) not written.")
    }
  }

  // MARK: Other members

  /// Prints an event among the members of the session.
  private func reportRosterEvent(_ event: Roster.Event) {
    switch event {
    case .joined(let member): if member.id != SharingMessage.home { say("\(member.name) is here.") }
    case .left(let member): say("\(member.name) has left.")
    case .changed(let old, let new): reportChange(from: old, to: new)
    // The user has done it, and has the answer of the command.
    case .ruled: break
    case .moved(let old, let new, let handover): say(words(for: handover, from: old, to: new))
    case .asked(let member, let text): sayWhoAsks(member.name, toWrite: text)
    case .kept(let holder, let refused):
      let names = refused.map(\.name).joined(separator: ", ")
      say(
        "\(holder.id == SharingMessage.home ? "you keep" : "\(holder.name) keeps") the pen; \(names) had asked."
      )
    }
  }

  /// Prints the new name of a member.
  private func reportChange(from old: Roster.Member, to new: Roster.Member) {
    guard old.name != new.name else { return }
    if new.id != SharingMessage.home {
      // A client that identifies itself has another name too. It did not answer before.
      if old.answers { say("\(old.name) is now called \(new.name)".asSentence) }
    } else if controller.userSharing.remote?.isShared != true {
      say("you are now called \(new.name)".asSentence)
    }
  }

  private func sayWhoAsks(_ name: String, toWrite text: String?) {
    say("\(name) asks for the pen\(text.map { " to send \($0)" } ?? "").\(penKey(" gives it."))")
  }

  private func words(
    for handover: Roster.Handover, from old: Roster.Member?, to new: Roster.Member?
  ) -> String {
    guard let new else { return "\(nobody) has the pen now." }
    let isYou = new.id == SharingMessage.home
    return switch handover {
    case .taken, .given, .inherited: isYou ? "you have the pen." : "\(new.name) has the pen."
    case .forced:
      isYou
        ? "you have taken the pen from \(old?.name ?? "nobody")."
        : "\(new.name) has taken the pen from \(old.map { $0.id == SharingMessage.home ? "you" : $0.name } ?? "nobody")."
    }
  }

  /// Prints who has the pen of a joined session, unless that is the user.
  private func sayWhoHasPen() {
    guard let sharing = controller.userSharing.remote?.sharing, sharing.pen != .mine else { return }
    let ask = penKey(" asks for it.")
    switch sharing.pen {
    case .others(let person): say("\(person.name) has the pen: you watch.\(ask)")
    case .free: say("\(nobody) has the pen: you watch.\(ask)")
    case .nobody: say("\(nobody) may write here: you watch.")
    case .everyone, .mine: break
    }
  }

  /// Prints an event of a joined session.
  private func reportRemoteNews(_ news: RemoteSharing.News) {
    switch news {
    case .userJoined: sayWhoHasPen()
    case .history, .screen, .missed: break
    case .joined(let person): say("\(person.name) is here.")
    case .left(let person): say("\(person.name) has left.")
    case .renamed(let person, let oldName):
      say("\(oldName) is now called \(person.name)".asSentence)
    case .ownNameChanged(let name): say("you are now called \(name)".asSentence)
    case .penMoved(let old, let new, let handover):
      say(words(for: handover, from: old, to: new))
    case .asked(let applicant): sayWhoAsks(applicant.person.name, toWrite: applicant.text)
    case .kept: say("you do not get the pen: it is kept.")
    case .port(.open, let name): say("\(name) is back.")
    case .port(.waiting, let name): say("\(name) is gone; the session waits for it.")
    case .port(.released, let name): say("\(name) is released for another program.")
    case .port(.closed, _): break
    case .ended(let reason): say("the session has ended: \(reason).")
    }
  }

  private func words(
    for handover: Roster.Handover, from old: Sharing.Pen, to new: Sharing.Pen
  ) -> String {
    switch (old, new) {
    case (.others(let person), .mine) where handover == .forced:
      "you have taken the pen from \(person.name)."
    case (.mine, .others(let person)) where handover == .forced:
      "\(person.name) has taken the pen from you."
    case (_, .mine): "you have the pen."
    case (_, .others(let person)): "\(person.name) has the pen."
    case (_, .nobody): "\(nobody) may write here now: you watch."
    case (_, .free), (_, .everyone): "\(nobody) has the pen now."
    }
  }

  /// A hint with the user's key for the pen; empty if the user has none, or only reads.
  private func penKey(_ words: String) -> String {
    controller.userSharing.isReadOnly ? "" : keys?.name(of: .pen).map { " \($0)\(words)" } ?? ""
  }

  private func say(_ text: String) {
    console.say(
      named(keys?.explainingPen(in: text, canAsk: !controller.userSharing.isReadOnly) ?? text))
  }

  /// Prints an event at a listen address.
  func reportServerNews(_ news: PortServer.News) {
    switch news {
    case .notAllowed(let name): say("\(name) was not let in: --allow does not name its address.")
    case .tooMany(let name):
      say("\(name) was not let in: there are \(PortServer.clientLimit) clients.")
    case .failed(let name, let error): console.warn(named("\(name) was not let in: \(error)."))
    case .client(let name, .mayNotWrite):
      say("\(name) sends something, but may not: it is dropped.\(wayToWrite)")
    case .client(let name, .leftOut(let count)):
      say("\(name) takes nothing: it missed \(count.counted("byte")).")
    case .client(let name, .unsent(let count)):
      console.warn(named("\(name) has left; \(count.bytesWere) not sent."))
    case .client(let name, .discarded(let count)):
      say("\(name) has discarded \(count.counted("byte")) of its own: not sent.")
    case .client(let name, .overstayed):
      say("\(name) takes nothing: the device waits no longer for it.")
    case .client(let name, .stalled):
      say("\(name) takes nothing and was disconnected: bytes alone cannot tell of a gap.")
    case .client(let name, .answersUnread):
      say("\(name) asks and does not read the answers; it was disconnected.")
    case .client(let name, .readsLog): say("\(name) reads the log.")
    }
  }

  /// Why a client that has sent something may not, and what would let it.
  private var wayToWrite: String {
    switch controller.sharing.roster.rule {
    case _ where controller.sharing.isReadOnly: " The session is read-only."
    case .none: " Nobody may write: --writers none."
    case .all: ""
    case .one:
      " It does not have the pen.\(penKey(" gives it.")) --writers all lets everyone write."
    }
  }

  /// Reports what happens to the page for browsers.
  func reportPageNews(_ news: BrowserPage.News) {
    switch news {
    case .ended(let reason):
      console.warn(
        named("the page for browsers is gone: \(reason.harmless) It is tried every 5 s."))
    case .logged(let line): say("the page for browsers: \(line.harmless)")
    case .returned(newLink: nil): say("the page for browsers is there again.")
    case .returned(let link?):
      say(
        "the page for browsers is there again, with a new link: "
          + link.words(isKept: console.keepsMessages))
    }
  }

  /// Warns about settings that the driver changed.
  func warnOfDifferences(in session: Session) {
    guard case .open(_, let actual) = session.state else { return }
    for difference in session.requestedSettings.differences(from: actual) {
      console.say(
        "warning: the driver set \(difference.setting) \(difference.actual) instead of "
          + "\(difference.requested).")
    }
  }

  private func absence() -> String {
    goneAt.map { " after \((MonotonicTime.now - $0).inTenths) s" } ?? ""
  }
}

extension Endpoint {
  /// The message about a server that speaks another protocol than the one it is used with.
  fileprivate func advice(toSpeak other: StreamProtocol) -> String? {
    guard let target = name(speaking: other), let telnet = name(speaking: .telnet) else {
      return nil
    }
    switch (kind, other) {
    case (.telnet, .raw):
      return "warning: this server has answered nothing in telnet. "
        + "If it speaks none, use \(target): it passes bytes as they are."
    case (.telnet, _): return "this server also has RFC 2217: \(target) sets the line too."
    case (_, .rfc2217):
      return "warning: this server speaks telnet: its commands are among the bytes. "
        + "Try \(telnet), or \(target), which also sets the line."
    default:
      return "warning: this server speaks telnet: its commands are among the bytes. Try \(telnet)."
    }
  }
}

extension SerialError {
  /// The message about a busy port that the session waits for.
  fileprivate var heldForNow: String {
    let problem = PortProblem.busy(at: endpoint)
    return "waiting for \(endpoint): \(problem)."
      + (problem.wayIn(at: "\(endpoint)").map { " \($0)" } ?? "")
  }
}

extension [Device] {
  /// The lines that explain why similar devices are not used.
  fileprivate var notTaken: [String] {
    ["not reopened, because it may be another device:"] + lines
  }
}

extension PlainFile {
  /// The message that the file was not sent completely, with the number of sent bytes.
  fileprivate func words(for end: End) -> String {
    let progress = "\(sentCount.grouped) of \(size.bytesWere) sent"
    return switch end {
    case .done: "\(name) was sent."
    case .stopped: "\(name) was stopped: \(progress)."
    case .cutOff: "\(name) was cut off: \(progress)."
    case .unreadable(let error): "\(name) cannot be read to its end (\(error)): \(progress)."
    }
  }
}

extension SessionState.WaitReason {
  /// Why this program has ended the connection, behind the name of the port; empty for
  /// any other loss.
  fileprivate var inWords: String {
    guard case .lost(let error) = self, let reason = error.subject else { return "" }
    return " (\(reason.harmless))"
  }
}
