import Posix
package import SystemPackage

/// The terminals that the kernel writes its messages to, such as those of `console=ttyS0` on
/// its command line.
package struct KernelConsoles: Hashable {
  /// Their names below /dev.
  package let names: Set<String>

  /// Creates the list of these names.
  package init(named names: Set<String>) { self.names = names }

  /// Reads /proc/consoles and /sys/class/tty/console/active; see proc_consoles(5) and
  /// Documentation/ABI/testing/sysfs-tty. Either may be missing in a container.
  ///
  /// - Parameter root: the root directory; tests use another one.
  package init(below root: FilePath = "/") {
    func text(_ path: FilePath) -> String {
      let contents = try? root.appending(path.components).contents()
      return String(decoding: contents ?? [], as: UTF8.self)
    }
    let registered = text("/proc/consoles").split(separator: "\n").compactMap {
      $0.split(separator: " ").first
    }
    let active = text("/sys/class/tty/console/active").split(whereSeparator: \.isWhitespace)
    names = Set((registered + active).map(String.init))
  }

  /// Whether a path leads to one of them, or to /dev/console, which stands for the first.
  package func contains(_ path: FilePath) -> Bool {
    guard let node = path.realPath?.string, node.hasPrefix("/dev/") else { return false }
    let name = String(node.dropFirst("/dev/".count))
    return name == "console" || names.contains(name)
  }
}
