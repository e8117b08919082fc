package import Logs
import SerialCore
import SystemPackage

/// What to log, and in which files.
package struct LogConfiguration {
  /// The files to begin with, as they were named.
  package var files: [String] = []
  /// The format of all logs; nil: what each file's name asks for.
  package var format: LogFormat?
  /// How each is kept, its format excepted.
  package var options = Log.Options()

  package init(
    files: [String] = [], format: LogFormat? = nil, options: Log.Options = Log.Options()
  ) {
    self.files = files
    self.format = format
    self.options = options
  }

  /// How the log in a file is kept.
  package func options(for file: String) -> Log.Options {
    var options = options
    options.format = format ?? LogFormat(fileName: file)
    return options
  }

  /// A file in the working folder, for a log that is switched on without a name.
  package var standardFile: String {
    // A raw log cannot tell what was sent.
    let format = format ?? (options.logsSent ? .text : .raw)
    return "serialterm-%t-%Y%m%d-%H%M%S\(format.suffix)"
  }
}
