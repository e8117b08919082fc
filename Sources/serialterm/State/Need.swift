import SerialCore
import Sessions
import Telnet
import Terminal

/// A condition of a command.
///
/// The reasons are shown in lists. A reason of up to 12 characters leaves room for a second column
/// on a screen of 80 columns.
enum Need: Hashable {
  /// The session is bound to a device, which may be unplugged now, or the port released.
  case boundDevice
  /// The port is open.
  case openPort
  /// The session may send.
  case sending
  /// The user may change the line.
  case changing
  /// The user may decide who sends: the port is not joined with another one.
  case untapped
  /// The settings of the line can be changed.
  case settings
  /// The port can send breaks.
  case breaks
  /// The port has modem lines.
  case modemLines
  /// A user, not a script, controls the session: the port can be released.
  case user
  /// The user is of one of these kinds.
  case users(Set<UserKind>)
  /// A file is being sent, a script or a program runs, a line sequence is being played, or a text
  /// is sent at intervals.
  case activity
  /// No file is being sent, and no script and no program runs.
  case noExchange
  /// No line sequence is being played.
  case noSequence
  /// The program has several ports.
  case severalPorts
  /// No other port shares the screen.
  case onePort
  /// A device is plugged in that no session of the program uses.
  case anotherDevice
  /// The output is a terminal.
  case screen
  /// The output is a terminal that can draw anywhere on its screen.
  case drawing
  /// The output may have colours.
  case colours
  /// The device's escape sequences are filtered.
  case filtered
  /// A log is on.
  case log
  /// The user may read the log of the session.
  case readableLog
  /// The session has a filter command.
  case filter
  /// Received bytes are kept for the scrollback.
  case scrollback
  /// The device has sent numbers that can be plotted.
  case numbers
  /// The plot is on the screen.
  case plot
  /// The user may write to the device: no other member has the pen.
  case pen
  /// The user may write, or another member can give the pen.
  case obtainablePen
  /// The session has other members, or clients can connect.
  case others
  /// The pen can move: no other member has it permanently.
  case movablePen
  /// The user may take the pen without asking.
  case takingPen
  /// The user does not have the pen.
  case withoutPen
  /// The user has not asked for the pen, or has got an answer.
  case notAsking
  /// Another member has asked for the pen.
  case asked
  /// The session knows the names of its members, and changes them.
  case renaming
  /// The session belongs to this program, and is not joined.
  case ownSession
  /// The session accepts clients.
  case listening

  /// The conditions of all commands that send: typing, pasting, programs.
  static let toSend: [Need] = [.openPort, .sending, .pen, .noExchange]

  /// The reason why a state does not meet the condition; nil if it does.
  ///
  /// What the owner of a joined session says about its port is the reason, word for word.
  func unmet(in state: TerminalState) -> Reason? {
    remoteReason(in: state) ?? localReason(in: state)
  }

  /// The reason of the owner of a joined session; nil if it gives none.
  private func remoteReason(in state: TerminalState) -> Reason? {
    // When the link is lost, nobody knows what holds at its far end.
    guard case .open = state.session, !state.sharing.refusals.isEmpty, let subject else {
      return nil
    }
    return state.sharing.refusals[subject].map { Reason($0) }
  }

  private func localReason(in state: TerminalState) -> Reason? {
    switch self {
    case .boundDevice:
      switch state.session {
      case .open, .waitingForDevice, .released: nil
      case .opening: .opening
      case .closed: .noDevice
      }
    case .openPort:
      switch state.session {
      case .open: state.sharing.portTrouble?.reason
      case .opening: .opening
      case .waitingForDevice, .closed: .noDevice
      case .released: .released
      }
    case .pen: state.sharing.penReason
    case .obtainablePen:
      switch state.sharing.pen {
      case .others, .free: nil
      case .mine, .everyone, .nobody: state.sharing.penReason
      }
    case .others:
      // The only user of a server's port may still be without the pen.
      state.sharing.others.isEmpty && !state.sharing.isJoined && state.sharing.pen == .mine
        ? .alone : nil
    case .movablePen where state.isTapped: .tapped
    case .movablePen where state.isReadOnly: .readOnly
    case .movablePen:
      switch state.sharing.pen {
      case .everyone: .everyoneWrites
      case .nobody: state.sharing.sendingReason ?? .nobodyWrites
      case .mine, .others, .free: nil
      }
    case .takingPen:
      state.sharing.pen == .mine ? .hasPen : state.sharing.mayTake ? nil : .mayNotTake
    case .withoutPen: state.sharing.pen == .mine ? .hasPen : nil
    case .notAsking: state.sharing.isAsking ? .asking : nil
    case .asked: state.sharing.applicants.isEmpty ? .notAsked : nil
    case .renaming: state.sharing.isJoined && state.sharing.ownName == nil ? .oldOwner : nil
    case .ownSession: state.sharing.isJoined ? .joined : nil
    case .listening:
      state.sharing.addresses.isEmpty && state.pageLink == nil ? .notServed : nil
    case .user: state.user != .person && !state.isLending ? .scripted : nil
    case .users(let users): users.contains(state.user) ? nil : .notFor(state.user)
    case .severalPorts: state.program.ports.count > 1 ? nil : .onlyOnePort
    case .onePort: state.program.ports.count > 1 ? .severalPorts : nil
    case .anotherDevice: state.program.otherDevices.isEmpty ? .noFreePort : nil
    case .sending where state.permission == .reading: .mayOnlyRead
    case .sending: state.isTapped ? .tapped : state.isReadOnly ? .readOnly : nil
    case .changing:
      switch state.permission {
      case .everything: nil
      case .writing: .mayOnlyWrite
      case .reading: .mayOnlyRead
      }
    case .untapped: state.isTapped ? .tapped : nil
    case .settings: state.capabilities.contains(.settings) ? nil : .noSettings
    case .breaks: state.capabilities.contains(.breaks) ? nil : .noBreak
    case .modemLines: state.capabilities.contains(.modemLines) ? nil : .noModemLines
    case .activity:
      state.exchange == nil && state.playing == nil && state.repeating == nil
        ? .nothingRuns : nil
    case .noExchange: state.exchange.map { .busy($0) }
    case .noSequence: state.playing.map { .playing($0) }
    case .screen: state.screen == .none ? .noTerminal : nil
    case .colours: state.hasColours ? nil : .noColours
    case .filtered: state.view.isRaw ? .raw : nil
    case .log: state.log == nil ? .noLog : nil
    // The owner of a joined session has not refused it.
    case .readableLog where state.sharing.isJoined: state.session.isOpen ? nil : .ending
    case .readableLog where state.ownLog == nil: state.log == nil ? .noLog : .logOfSeveralPorts
    case .readableLog: nil
    case .filter: state.filter == nil ? .noFilter : nil
    case .scrollback: state.keepsScrollback ? nil : .noScrollback
    case .numbers: state.seesNumbers ? nil : .noNumbers
    case .plot: state.showsPlot ? nil : .noPlot
    case .drawing:
      switch state.screen {
      case .none: .noTerminal
      case .printing: .cannotDraw
      case .drawing: nil
      }
    }
  }
}

extension [Need] {
  /// The reason of the first condition that a state does not meet; nil if it meets all.
  ///
  /// This is a pure function, and the only code that decides whether a command is available.
  func unmet(in state: TerminalState) -> Reason? { lazy.compactMap { $0.unmet(in: state) }.first }
}

extension Need {
  /// What members are refused while the condition is not met; nil if it is not about the port.
  private var subject: SharingMessage.Subject? {
    SharingMessage.Subject.allCases.first { $0.need == self }
  }
}

extension SharingMessage.Subject {
  /// The condition whose reason the members get.
  fileprivate var need: Need {
    switch self {
    case .openPort: .openPort
    case .sending: .sending
    case .settings: .settings
    case .breaks: .breaks
    case .modemLines: .modemLines
    case .noExchange: .noExchange
    case .noSequence: .noSequence
    case .sharedLog: .readableLog
    }
  }

  /// Why the members of a session cannot use its port. What its own user may not do is no reason.
  static func refusals(in state: TerminalState) -> [Self: Sharing.Refusal] {
    var state = state
    state.permission = .everything
    var refusals: [Self: Sharing.Refusal] = [:]
    for subject in allCases { refusals[subject] = subject.need.unmet(in: state)?.refusal }
    if !state.sharesLog { refusals[.sharedLog] = .logNotShared }
    // That one shares its log with those who have joined it. This program has another one.
    if state.sharing.isJoined { refusals[.sharedLog] = Reason.joined.refusal }
    return refusals
  }
}

extension Reason {
  /// What an owner says. It may be a program of any kind: a code that is no word, and an empty
  /// text, are replaced.
  fileprivate init(_ refusal: Sharing.Refusal) {
    guard !refusal.text.isEmpty else {
      self = .refused
      return
    }
    let words = refusal.code.split(separator: "-", omittingEmptySubsequences: false)
    let isCode = words.allSatisfy { word in
      !word.isEmpty && word.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    }
    self.init(isCode ? refusal.code : Reason.refused.code, refusal.text)
  }

  fileprivate var refusal: Sharing.Refusal { Sharing.Refusal(code: code, text: text) }
}

extension Sharing {
  /// The reason of the owner why nobody may send; nil if there is none.
  fileprivate var sendingReason: Reason? { refusals[.sending].map { Reason($0) } }

  /// The reason why this user may not write; nil if the user may.
  var penReason: Reason? {
    switch pen {
    case .mine, .everyone: nil
    // A session that is read-only for now, rather than one that was started for viewers alone.
    case .nobody: sendingReason ?? .mayOnlyWatch
    case .free: .onlyWatches
    case .others(let person): .penOf(person.name)
    }
  }
}

extension SharingMessage.PortState {
  /// The reason why the port of a joined session cannot be used; nil if it is open.
  fileprivate var reason: Reason? {
    switch self {
    case .open: nil
    case .waiting: .noDevice
    case .released: .released
    case .closed: .ending
    }
  }
}
