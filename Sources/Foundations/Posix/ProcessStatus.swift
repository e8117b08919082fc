package import SystemPackage

/// What every user may read of a process; see proc_pid_stat(5).
package struct ProcessStatus: Hashable, Sendable {
  /// The process that leads its session.
  package let session: Int32
  /// Its controlling terminal; nil if it has none.
  package let terminal: DeviceID?

  /// Reads the status of a process; nil if it has ended.
  ///
  /// - Parameter folder: the folder of the process: `/proc/4711`.
  package init?(in folder: FilePath) {
    guard let text = try? folder.appending("stat").contents() else { return nil }
    self.init(parsing: String(decoding: text, as: UTF8.self))
  }

  /// Parses the text of the file.
  package init?(parsing text: String) {
    // The command, in parentheses before it, may contain any characters.
    let words = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard words.count > 4, let session = Int32(words[3]), let number = Int32(words[4]) else {
      return nil
    }
    self.session = session
    terminal = number == 0 ? nil : DeviceID(encoded: UInt32(bitPattern: number))
  }
}
