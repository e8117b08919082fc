import Configuration
import Glibc
import Options
import Posix
import SystemPackage
import Terminal

/// `serialterm profile import-tio`: converts a configuration of tio(1).
struct ImportTioCommand: Subcommand {
  private static let file = Parameter<String?>.argument(
    "file", "tio's configuration file; - for standard input. Without it, the one that tio reads.",
    completion: .files, parse: { $0 })

  static let description = CommandDescription(
    "profile import-tio", "Convert a configuration of tio, and print it.",
    """
    Settings that serialterm does not have are printed as comments, with the reason. Reads the \
    configuration of tio 1, 2 and 3.
    """,
    example: """
      serialterm profile import-tio            # look at it first
      serialterm profile import-tio >> ~/.config/serialterm/config.toml
      """,
    sections: [ParameterSection("ARGUMENTS", [Self.file])])

  private let file: String?

  init(_ values: Values) { file = values[Self.file] }

  func execute(in context: CommandContext) throws -> ExitStatus {
    guard let file = file ?? Self.standardFile else {
      throw Failure(.usage, "tio has no configuration in its usual places. Name the FILE.")
    }
    let document: [UInt8]
    do throws(InputFile.Problem) {
      document = try InputFile.read(file, atMost: TOMLReader.largestDocument)
    } catch {
      throw Failure(.usage, "\(file): \(error.words).")
    }
    let converted = TioImport(document, complaint: Self.complaint)
    try StandardStream.output.print(converted.text)
    if FileDescriptor.standardOutput.isTerminal {
      StandardStream.complain(
        "nothing is saved. To use it, append it to the configuration: see "
          + "'serialterm profile import-tio --help'.")
    }
    if converted.droppedCount > 0 {
      let count = converted.droppedCount == 1 ? "1 setting" : "\(converted.droppedCount) settings"
      StandardStream.complain("\(count) not imported; the comments say why.")
    }
    return .done
  }

  /// The first of the files that tio reads which exists; see tio(1), "FILES".
  private static var standardFile: String? {
    let (folder, home) = (ProfileFile.configurationFolder, ProfileFile.home)
    let files = [
      folder?.appending("tio/config"), home?.appending(".tioconfig"),
      folder?.appending("tio/tiorc"), home?.appending(".tiorc"),
    ]
    return files.compactMap(\.self).first { (try? $0.stat()) != nil }?.string
  }

  /// The reason why an entry is not allowed in a configuration; nil if it is allowed.
  static func complaint(_ key: String, _ value: Value) -> String? {
    let entry = Entry(key: key, value: value, line: 1)
    if let complaint = ProfileFile.complaint(about: entry, isDefault: false) { return complaint }
    let declarations = ConnectCommand.description.declarations
    guard let configured = declarations.configured(by: entry) else { return nil }
    do throws(UsageError) {
      _ = try ConnectCommand(Values(Given(), [configured], of: declarations))
      return nil
    } catch {
      return error.description
    }
  }
}
