import CExitGuard
import Glibc
package import SystemPackage

/// Undoes what must not outlive this process, at its end by ``undo()`` or by a signal: kills
/// programs, and removes symbolic links. The handler of crashes does so too; only a signal that no
/// program can handle, such as SIGKILL, leaves something behind.
package enum ExitGuard {
  /// From now on these signals undo everything, and then end the process with their own status.
  /// Signals that are ignored stay ignored.
  ///
  /// The corresponding C function is `sigaction`.
  package static func handle(_ signals: [CInt]) {
    exit_guard_handle_signals(signals, signals.count)
  }

  /// Undoes everything, for the end of the process.
  package static func undo() { exit_guard_undo() }

  /// Registers a program to kill.
  ///
  /// - Parameter target: the process ID, or that of a group as a negative number, as for kill(2).
  static func add(_ target: pid_t) { exit_guard_add_program(target) }
  static func remove(_ target: pid_t) { exit_guard_remove_program(target) }
}

/// The removal of a symbolic link at the end of the process, as long as this object exists.
package final class GuardedLink {
  private let number: CInt

  /// Registers a link. It may be made afterwards.
  ///
  /// - Parameters:
  ///   - path: the link. Its folder must be the same until the end.
  ///   - target: what it leads to. A link that leads elsewhere is another one, and is kept.
  package init(at path: FilePath, to target: FilePath) {
    number = path.withPlatformString { path in
      target.withPlatformString { exit_guard_add_link(path, $0) }
    }
  }

  deinit { exit_guard_remove_link(number) }
}
