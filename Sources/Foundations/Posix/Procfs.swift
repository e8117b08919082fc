import Glibc

/// The file system of processes, see proc(5). A chroot may lack it, and early in the boot it is not
/// mounted yet.
package enum Procfs {
  /// Whether paths through open descriptors (`/proc/self/fd/3`) lead somewhere. Sockets are made,
  /// and those of sessions found, by such paths: nobody can lead them elsewhere meanwhile.
  package static var isMounted: Bool { access("/proc/self/fd", X_OK) == 0 }
}
