import Glibc
public import SystemPackage

/// The names that users and groups go by.
public enum AccountName {
  /// A user's name; nil where it has none, as in many containers.
  ///
  /// The corresponding C function is `getpwuid_r`: `getpwuid` has one buffer for all threads.
  public static func of(_ id: UserID) -> String? {
    withRoom { (room, size) in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let error = getpwuid_r(id.rawValue, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.pw_name) })
    }
  }

  /// A group's name; nil where it has none. The corresponding C function is `getgrgid_r`.
  public static func of(_ id: GroupID) -> String? {
    withRoom { (room, size) in
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let error = getgrgid_r(id.rawValue, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.gr_name) })
    }
  }

  /// Looks up a name, with more room as long as `ERANGE` asks for it: a group may have thousands of
  /// members.
  private static func withRoom(
    _ lookUp: (UnsafeMutablePointer<CChar>, Int) -> (error: CInt, name: String?)
  ) -> String? {
    var size = 1_024
    while size <= 1 << 20 {
      let room = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { room.deallocate() }
      let result = lookUp(room, size)
      if result.error != ERANGE { return result.name }
      size *= 4
    }
    return nil
  }
}
