import Glibc
import SystemPackage
package import Telnet
import TextTools

/// A request by a program of the same user to list the ports of sessions, or to join one: a line of
/// text at the control socket.
package enum SessionRequest: Hashable {
  /// `sessions`: the reply is one ``SessionSummary`` for each port, then the end of the connection.
  case list
  /// `join PORT`, or `join` for the only port. The connection then belongs to a ``ServedClient``.
  case join(port: String?)
  /// `join-number N`: joins the port with a ``SessionSummary/number``.
  case joinNumber(Int)

  /// Parses a request; nil if the line is not one.
  package init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 1)
    switch (words.first, words.dropFirst().first) {
    case ("sessions", nil): self = .list
    case ("join", let port):
      guard let port else {
        self = .join(port: nil)
        return
      }
      guard let name = String(percentEncoded: port) else { return nil }
      self = .join(port: name)
    case ("join-number", let number?):
      guard let number = Int(number) else { return nil }
      self = .joinNumber(number)
    default: return nil
    }
  }

  /// The line to send, without the newline.
  package var line: String {
    switch self {
    case .list: "sessions"
    case .join(nil): "join"
    case .join(let port?): "join \(port.percentEncoded)"
    case .joinNumber(let number): "join-number \(number)"
    }
  }
}

/// A port of a running session, described for others: a line of text at the control socket.
package struct SessionSummary: Hashable, Sendable {
  /// The endpoint of the port, as shown to users.
  package var port: String
  /// The time when the program started, in seconds since 1970-01-01 UTC.
  package var since: Int
  /// The name of the subcommand: `connect`, `serve`.
  package var command: String
  /// The name of the member with the pen; nil for nobody.
  package var holder: String?
  /// The names of the other members.
  package var others: [String]
  /// The addresses at which clients connect.
  package var addresses: [String]
  /// The number of the port in its program, which stays the same. Nil in the summary of a program
  /// that does not number its ports.
  package var number: Int?
  /// The state of the port; nil if the program does not report it.
  package var state: SharingMessage.PortState?
  /// Why the port is not open although its device may be there; nil if it is open, or if only the
  /// device is missing.
  package var reason: String?
  /// The name of the profile that applies to the port; empty without one. Nil if the program does
  /// not report it.
  package var profile: String?

  package init(
    port: String, since: Int, command: String, holder: String?, others: [String],
    addresses: [String], number: Int? = nil, state: SharingMessage.PortState? = nil,
    reason: String? = nil, profile: String? = nil
  ) {
    self.port = port
    self.since = since
    self.command = command
    self.holder = holder
    self.others = others
    self.addresses = addresses
    self.number = number
    self.state = state
    self.reason = reason
    self.profile = profile
  }

  /// Parses a line; nil if it is not a summary.
  package init?(line: String) {
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count >= 5, fields[0] == "session", let since = Int(fields[2]) else { return nil }
    let texts = fields.map { String(percentEncoded: $0)?.harmless }
    guard let port = texts[1], let command = texts[3], let holder = texts[4] else { return nil }
    self.init(
      port: port, since: since, command: command, holder: holder.isEmpty ? nil : holder,
      others: [], addresses: [])
    for text in texts.dropFirst(5) {
      guard let text else { return nil }
      if text.hasPrefix("+") { others.append(String(text.dropFirst())) }
      if text.hasPrefix("@") { addresses.append(String(text.dropFirst())) }
      if text.hasPrefix("#") { number = Int(text.dropFirst()) }
      if text.hasPrefix("=") {
        state = SharingMessage.PortState(named: String(text.dropFirst()))
      }
      if text.hasPrefix("!") { reason = String(text.dropFirst()) }
      if text.hasPrefix("*") { profile = String(text.dropFirst()) }
    }
  }

  /// What holds of the summary if a program of an account has sent it. Another account does not
  /// choose a profile: one may start a program as a filter.
  func said(by account: UserID) -> SessionSummary {
    var summary = self
    if account != UserID(rawValue: geteuid()) { summary.profile = nil }
    return summary
  }

  /// The line to send, without the newline. A name is prefixed by `+`, an address by `@`, the
  /// number by `#`, the state by `=`, its reason by `!`, the profile by `*`.
  package var line: String {
    let texts =
      [port, "\(since)", command, holder ?? ""] + others.map { "+\($0)" }
      + addresses.map { "@\($0)" } + (number.map { ["#\($0)"] } ?? [])
      + (state.map { ["=\($0.name)"] } ?? []) + (reason.map { ["!\($0)"] } ?? [])
      + (profile.map { ["*\($0)"] } ?? [])
    return "session " + texts.map(\.percentEncoded).joined(separator: " ")
  }

  /// The maximum length of a line in bytes, with its newline.
  package static let limit = 65_536
}
