package import Encodings
package import Logs
package import SystemPackage
package import TextStages
import TextTools

/// What to log, and in which files.
package struct LogConfiguration {
  /// The files to log to from the start, as the user named them.
  package var files: [String] = []
  /// The format of all logs; nil to choose it by the name of each file.
  package var format: LogFormat?
  /// The options of each log, except its format.
  package var options = Log.Options()
  /// The encoding of the device's text.
  package var encoding = Encoding.utf8
  /// The direction of what the port receives, if it is one side of a line between two ports; nil
  /// for what a device sends.
  package var lineDirection: Direction?
  /// The files of ``files`` that are tables (CSV) whatever their names are.
  package var tables: [String] = []
  /// Whether the members of the session may read the log.
  package var isForMembers = false
  /// The files of ``files`` that replace a file that exists.
  package var replaced: [String] = []

  package init(
    files: [String] = [], format: LogFormat? = nil, options: Log.Options = Log.Options()
  ) {
    self.files = files
    self.format = format
    self.options = options
  }

  /// The log in a file.
  package func log(in file: String) -> NamedLog {
    var options = options
    options.format = tables.contains(file) ? .csv : format ?? LogFormat(fileName: file)
    if !options.format.canBeContinued { options.appends = false }
    options.replaces = replaced.contains(file)
    options.marksDirection = lineDirection != nil
    return NamedLog(name: file, options: options)
  }

  /// The log in a file that the user has chosen in a session. A suffix of a format decides,
  /// whatever ``format`` is.
  ///
  /// - Parameter appends: whether to append to the file if it exists.
  package func log(inChosen file: FilePath, appending appends: Bool) -> NamedLog {
    var file = log(in: file.string.replacing(text: "%", with: "%%"))
    let name = file.name.lowercased()
    if let format = LogFormat.allCases.first(where: { name.hasSuffix($0.suffix) }) {
      file.options.format = format
    }
    file.options.appends = appends && file.options.format.canBeContinued
    return file
  }

  /// The log that is switched on without a name: a new file in the working directory.
  package var standard: NamedLog {
    // A raw log cannot tell what was sent.
    let format = format ?? (options.logsSent ? .text : .raw)
    var file = log(in: "serialterm-%t-%Y%m%d-%H%M%S\(format.suffix)")
    file.options.appends = false
    return file
  }

  /// The logs that several sessions share: the files that more than one of them names, if the name
  /// does not contain the port.
  package static func shared(among configurations: [LogConfiguration]) -> [NamedLog] {
    var shared: [NamedLog] = []
    for configuration in configurations {
      for name in configuration.files
      where !LogName.hasPlaceForPort(name) && !shared.contains(where: { $0.name == name })
        && configurations.count(where: { $0.files.contains(name) }) > 1
      {
        var file = configuration.log(in: name)
        file.options.namesPorts = file.options.format.namesPorts
        shared.append(file)
      }
    }
    return shared
  }
}

/// The name of a log file, and how the log is kept.
package struct NamedLog: Hashable {
  package var name: String
  package var options: Log.Options
}
