import Glibc
import Posix
import SystemPackage
package import Telnet
import TextTools

/// The name of the user of this process, unless the user has chosen one.
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

extension SharingMessage.Introduction {
  /// The user of this process.
  package static let own = SharingMessage.Introduction(name: UserName.own)
}
