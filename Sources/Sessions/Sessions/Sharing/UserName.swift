import Glibc
import Posix
import SystemPackage
import TextTools

/// The name of the user of this process, as other members of a session see it.
package enum UserName {
  /// The account and the terminal, such as `max on pts/3`; without a terminal the process, such as
  /// `max (pid 4711)`. It is safe to show.
  ///
  /// The corresponding C functions are `getpwuid_r` and `ttyname_r`.
  package static let own: String = {
    let user = UserID(rawValue: geteuid())
    let account = AccountName.of(user) ?? "user \(user.rawValue)"
    let prefix = "/dev/"
    for stream in [STDIN_FILENO, STDERR_FILENO] {
      var name = [CChar](repeating: 0, count: 128)
      guard ttyname_r(stream, &name, name.count) == 0 else { continue }
      let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      let terminal = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
      return "\(account) on \(terminal)".harmless
    }
    return "\(account) (pid \(getpid()))".harmless
  }()
}

/// How the program of an agent is named among the members of a session.
extension UserName {
  private static let agentMark = " (agent)"
  /// The maximum length of the agent's own name, in Unicode scalars.
  private static let longestAgentName = 40

  /// The name of an agent, from what it calls itself. It is safe to show.
  package static func ofAgent(_ name: String) -> String {
    let shown = String(
      String.UnicodeScalarView(name.harmless.unicodeScalars.prefix(longestAgentName)))
    return (shown.isEmpty ? "unnamed" : shown) + agentMark
  }

  /// Whether a name is that of an agent, also if a number was added to tell it from others.
  package static func isOfAgent(_ name: String) -> Bool {
    let scalars = Array(name.unicodeScalars)
    let mark = Array(agentMark.unicodeScalars)
    return scalars.indices.contains { scalars[$0...].starts(with: mark) }
  }
}
