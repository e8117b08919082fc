import Glibc
package import SystemPackage

extension ControlFolder {
  /// A directory for sockets, and the owner that it must have.
  package struct Place: Hashable {
    package let path: FilePath
    package let owner: UserID
  }

  /// The directories for a user's sockets, in the order in which they are tried.
  ///
  /// - Parameter runtimeFolder: the user's `$XDG_RUNTIME_DIR`; a relative path is ignored, as the XDG Base
  ///   Directory Specification says.
  package static func places(of user: UserID, runtimeFolder: String?) -> [Place] {
    let runtime = runtimeFolder.map { FilePath($0) }.flatMap { $0.isAbsolute ? $0 : nil }
    let paths = [runtime?.appending("serialterm"), FilePath("/tmp/serialterm-\(user.rawValue)")]
    return paths.compactMap(\.self).map { Place(path: $0, owner: user) }
  }

  /// The directories whose sessions are asked for a port: those of the user; for root, also those of the user who
  /// called sudo(8). Sessions of other users are not asked: they could make root wait.
  package static func placesToAsk(
    as user: UserID, runtimeFolder: String?, sudoUser: UserID?
  ) -> [Place] {
    let own = places(of: user, runtimeFolder: runtimeFolder)
    guard let sudoUser, user == UserID(rawValue: 0), sudoUser != user else { return own }
    return own + places(of: sudoUser, runtimeFolder: "/run/user/\(sudoUser.rawValue)")
  }
}

extension ControlFolder {
  /// The directories for sockets of this process.
  static var ownPlaces: [Place] {
    places(of: UserID(rawValue: geteuid()), runtimeFolder: variable("XDG_RUNTIME_DIR"))
  }

  /// The directories whose sessions this process asks.
  package static var placesToAsk: [Place] {
    placesToAsk(
      as: UserID(rawValue: geteuid()), runtimeFolder: variable("XDG_RUNTIME_DIR"),
      sudoUser: variable("SUDO_UID").flatMap { uid_t($0) }.map(UserID.init(rawValue:)))
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
