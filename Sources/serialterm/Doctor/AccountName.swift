import Glibc

/// The names that users and groups go by.
enum AccountName {
  /// Room for an entry with its members, in bytes; one that is larger has no name here.
  private static let capacity = 64 << 10

  /// The corresponding C function is `getpwuid_r`: `getpwuid` has one buffer for all threads.
  static func ofUser(_ id: uid_t) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { room in
      getpwuid_r(id, &entry, room.baseAddress!, room.count, &found) == 0 && found != nil
        ? String(cString: entry.pw_name) : nil
    }
  }

  /// The corresponding C function is `getgrgid_r`.
  static func ofGroup(_ id: gid_t) -> String? {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { room in
      getgrgid_r(id, &entry, room.baseAddress!, room.count, &found) == 0 && found != nil
        ? String(cString: entry.gr_name) : nil
    }
  }
}
