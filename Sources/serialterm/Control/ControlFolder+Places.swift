import Glibc
import SystemPackage

extension ControlFolder {
  /// A place for sockets, and whose it has to be.
  struct Place: Hashable {
    let path: FilePath
    let owner: UserID
  }

  /// Where a user's sessions have their sockets, the best place first.
  ///
  /// - Parameter runtimeFolder: the user's `$XDG_RUNTIME_DIR`; what is no absolute path does not
  ///   count, as the XDG Base Directory Specification says.
  static func places(of user: UserID, runtimeFolder: String?) -> [Place] {
    let runtime = runtimeFolder.map { FilePath($0) }.flatMap { $0.isAbsolute ? $0 : nil }
    let paths = [runtime?.appending("serialterm"), FilePath("/tmp/serialterm-\(user.rawValue)")]
    return paths.compactMap(\.self).map { Place(path: $0, owner: user) }
  }

  /// Where sessions have their sockets that a user may ask: the user's own; for root, those of the
  /// user behind sudo(8) too. Others' are not asked: they could keep root waiting.
  static func placesToAsk(
    as user: UserID, runtimeFolder: String?, sudoUser: UserID?
  ) -> [Place] {
    let own = places(of: user, runtimeFolder: runtimeFolder)
    guard let sudoUser, user == UserID(rawValue: 0), sudoUser != user else { return own }
    return own + places(of: sudoUser, runtimeFolder: "/run/user/\(sudoUser.rawValue)")
  }
}

extension ControlFolder {
  /// Where this process's sessions may have theirs.
  static var ownPlaces: [Place] {
    places(of: UserID(rawValue: geteuid()), runtimeFolder: variable("XDG_RUNTIME_DIR"))
  }

  /// Where this process may ask.
  static var placesToAsk: [Place] {
    placesToAsk(
      as: UserID(rawValue: geteuid()), runtimeFolder: variable("XDG_RUNTIME_DIR"),
      sudoUser: variable("SUDO_UID").flatMap { uid_t($0) }.map(UserID.init(rawValue:)))
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
