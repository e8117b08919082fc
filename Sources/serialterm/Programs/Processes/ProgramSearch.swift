import Glibc

/// Finds programs along `PATH`.
enum ProgramSearch {
  /// The file of a program, as execvp(3) finds it.
  ///
  /// - Parameter name: its name, or a path if it has a slash.
  /// - Returns: nil if there is no such file that may be run.
  static func file(of name: String) -> String? {
    guard !name.isEmpty else { return nil }
    if name.contains("/") { return isRunnable(name) ? name : nil }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    for folder in folders.split(separator: ":", omittingEmptySubsequences: false) {
      let file = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
      if isRunnable(file) { return file }
    }
    return nil
  }

  private static func isRunnable(_ file: String) -> Bool {
    var status = stat()
    return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(file, X_OK) == 0
  }
}
