import Configuration
import Glibc
import Options
import Posix
import SystemPackage

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
    let document = try ImportedFile.read(file, of: .tio)
    return try TioImport(document, complaint: ProfileFile.complaint(aboutImported:_:))
      .print(by: Self.name)
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
}
