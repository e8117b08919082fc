import Glibc
package import SystemPackage

/// The names of users and groups.
package enum AccountName {
  /// The name of a user; nil if it has none, as in many containers.
  ///
  /// The corresponding C function is `getpwuid_r`: `getpwuid` is not thread-safe.
  package static func of(_ id: UserID) -> String? {
    withRoom { (room, size) in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let error = getpwuid_r(id.rawValue, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.pw_name) })
    }
  }

  /// The name of a group; nil if it has none. The corresponding C function is `getgrgid_r`.
  package static func of(_ id: GroupID) -> String? {
    withRoom { (room, size) in
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let error = getgrgid_r(id.rawValue, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.gr_name) })
    }
  }

  /// The group with a name; nil if there is none. The corresponding C function is `getgrnam_r`.
  public static func group(named name: String) -> GroupID? {
    withRoom { (room, size) in
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let error = getgrnam_r(name, &entry, room, size, &found)
      return (error, found.map { GroupID(rawValue: $0.pointee.gr_gid) })
    }
  }

  /// The home folder of the user with a name; nil if there is no such user.
  ///
  /// The corresponding C function is `getpwnam_r`.
  package static func home(of name: String) -> String? {
    withRoom { (room, size) in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let error = getpwnam_r(name, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.pw_dir) })
    }
  }

  /// Looks up an entry, with a larger buffer after each `ERANGE`, up to 1 MiB, because a group may
  /// have thousands of members.
  private static func withRoom<Result>(
    _ lookUp: (UnsafeMutablePointer<CChar>, Int) -> (error: CInt, found: Result?)
  ) -> Result? {
    var size = 1_024
    while size <= 1 << 20 {
      let room = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { room.deallocate() }
      let result = lookUp(room, size)
      if result.error != ERANGE { return result.found }
      size *= 4
    }
    return nil
  }
}
