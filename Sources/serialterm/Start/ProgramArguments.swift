import CArguments
import Posix
import SystemPackage

/// The arguments of this process, and its own file. Neither needs /proc.
enum ProgramArguments {
  /// All arguments, with the name of the program as the first one. Bytes that are not UTF-8 are
  /// replaced.
  static let all: [String] = (0..<arguments_count()).compactMap { index in
    arguments_at(index).map { String(cString: $0) }
  }

  /// The file of the program, without symbolic links; nil if it is gone. After an upgrade it is the
  /// new one at the same path, where /proc/self/exe leads nowhere.
  static var file: FilePath? {
    FilePath("/proc/self/exe").realPath
      ?? arguments_program().flatMap { FilePath(platformString: $0).realPath }
  }
}
